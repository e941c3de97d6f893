/** Runs the threads' tasks on the calling thread, for tests and benches. */
import type { Extractor } from '../../domain/extraction/extraction-ports.ts';
import type { TemplateWorker } from '../../domain/templates/template-ports.ts';
import { unbox } from '../../domain/shared/box.ts';
import { applySiteTemplate, learnSiteTemplate, trySiteTemplate } from '../template-tasks.ts';
import { extractPage } from '../worker.ts';

export const inlineTemplates: TemplateWorker = {
  apply: async (page, template) => unbox(applySiteTemplate({ page, template })),
  try: async (page, template) => unbox(trySiteTemplate({ page, template })),
  learn: async (pages) => unbox(learnSiteTemplate(pages)),
};

export const inlineExtractor: Extractor = {
  extract: async (input) => unbox(extractPage(input)),
};
