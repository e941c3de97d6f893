import { GENERIC_TEMPLATE_ID } from '@winnow/contract';
import type { Extractor, Template } from './extraction-ports.ts';
import { pickContentOptions } from '../request-options/content-options.ts';

export function createGenericTemplate(extractor: Extractor): Template {
  return {
    id: GENERIC_TEMPLATE_ID,
    async apply(page, budget) {
      const { html, url, contentLanguage, elements } = page;
      const input = { html, url, contentLanguage, ...pickContentOptions(page), elements };
      const extraction = page.extraction ?? (await extractor.extract(input, budget));
      return { extraction, templateId: GENERIC_TEMPLATE_ID };
    },
  };
}
