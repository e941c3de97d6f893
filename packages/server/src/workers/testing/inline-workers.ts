/** Runs tasks on the calling thread. */
import type { Extractor } from '../../domain/extraction/extraction-ports.ts';
import type { TemplateWorker } from '../../domain/templates/template-ports.ts';
import {
  applySiteTemplate,
  extractPageTask,
  gatherSiteEvidence,
  markSitePage,
  outlineSitePage,
  trySiteTemplate,
} from '../template-tasks.ts';

export const inlineTemplates: TemplateWorker = {
  apply: async (page, template) => applySiteTemplate({ page, template }),
  try: async (page, template) => trySiteTemplate({ page, template }),
  gather: async (notes) => gatherSiteEvidence(notes) ?? undefined,
  outline: async (page, taught) => outlineSitePage({ ...page, taught }),
  mark: async (html, marks) => markSitePage({ html, marks }),
};

export const inlineExtractor: Extractor = {
  extract: async (input) => extractPageTask(input),
};
