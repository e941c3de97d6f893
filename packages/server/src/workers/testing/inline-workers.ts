/** Runs tasks on the calling thread. */
import type { Extractor } from '../../domain/extraction/extraction-ports.ts';
import type { TemplateWorker } from '../../domain/templates/template-ports.ts';
import { takeContent } from '../../domain/shared/transfer-cell.ts';
import { applySiteTemplate, extractPageTask, learnSiteTemplate, trySiteTemplate } from '../template-tasks.ts';

export const inlineTemplates: TemplateWorker = {
  apply: async (page, template) => takeContent(applySiteTemplate({ page, template })),
  try: async (page, template) => takeContent(trySiteTemplate({ page, template })),
  learn: async (pages) => takeContent(learnSiteTemplate(pages)),
};

export const inlineExtractor: Extractor = {
  extract: async (input) => takeContent(extractPageTask(input)),
};
