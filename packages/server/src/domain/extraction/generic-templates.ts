import { GENERIC_TEMPLATE_ID } from '@winnow/contract';
import type { Extractor, ExtractionTemplate, TemplateProvider } from './extraction-ports.ts';
import { pickContentOptions } from '../request-options/content-options.ts';

export function createGenericTemplate(extractor: Extractor): ExtractionTemplate {
  return {
    id: GENERIC_TEMPLATE_ID,
    async apply(page, budget) {
      const { html, url, contentLanguage, elements, fields } = page;
      const input = { html, url, contentLanguage, ...pickContentOptions(page), elements, fields };
      const extraction = page.extraction ?? (await extractor.extract(input, budget));
      return { extraction, templateId: GENERIC_TEMPLATE_ID };
    },
  };
}

/** Uses no site templates, so that a page gives the same content each time. */
export function onlyGeneric(extractor: Extractor): TemplateProvider {
  const template = createGenericTemplate(extractor);
  const candidates = [{ templateId: GENERIC_TEMPLATE_ID, score: 1, reason: 'templates of sites are not used' }];
  return { match: async () => ({ template, candidates }), generate: async () => undefined };
}
