import { GENERIC_TEMPLATE_ID } from '@winnow/contract';
import type { Extractor, Template, Templates } from './ports.ts';

/** `generic:v1`: the trained extractor, which fits every page that has content. */
export function createGenericTemplate(extractor: Extractor): Template {
  return {
    id: GENERIC_TEMPLATE_ID,
    async apply(page, budget) {
      const { html, url, contentLanguage, formats } = page;
      const extraction = await extractor.extract({ html, url, contentLanguage, formats }, budget);
      return { extraction, templateId: GENERIC_TEMPLATE_ID };
    },
  };
}

/** Templates of a deployment that knows no site: every page matches `generic:v1`, and none is generated. */
export function createGenericTemplates(extractor: Extractor): Templates {
  const template = createGenericTemplate(extractor);
  const candidates = [{ templateId: GENERIC_TEMPLATE_ID, score: 1, reason: 'the built-in template fits any page' }];
  return {
    match: async () => ({ template, candidates }),
    generate: async () => undefined,
  };
}
