import { GENERIC_TEMPLATE_ID } from '@winnow/contract';
import type { Extractor, ExtractionTemplate, TemplateProvider } from './extraction-ports.ts';
import { pickContentOptions } from '../request-options/content-options.ts';

/**
 * Answers by the extractor.
 * @param known its name and what it knows of the site; default: `generic:v1`, which knows nothing
 */
export function createGenericTemplate(
  extractor: Extractor,
  known: Pick<ExtractionTemplate, 'id' | 'site' | 'pages'> = { id: GENERIC_TEMPLATE_ID },
): ExtractionTemplate {
  return {
    ...known,
    async apply(page, budget) {
      const { html, url, contentLanguage, elements, fields, takeLinks } = page;
      const content = { html, url, contentLanguage, ...pickContentOptions(page) };
      const input = { ...content, elements, fields, takeLinks, ...known.site };
      const extraction = page.extraction ?? (await extractor.extract(input, budget));
      return { extraction, templateId: known.id };
    },
  };
}

/** Uses no site templates, so that a page gives the same content each time. */
export function onlyGeneric(extractor: Extractor): TemplateProvider {
  const template = createGenericTemplate(extractor);
  const candidates = [{ templateId: GENERIC_TEMPLATE_ID, score: 1, reason: 'templates of sites are not used' }];
  return { match: async () => ({ template, candidates }), generate: async () => undefined };
}
