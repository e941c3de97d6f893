import { GENERIC_TEMPLATE_ID } from '@winnow/contract';
import { createGenericTemplate } from './generic-templates.ts';
import type { Extractor, Templates } from './extraction-ports.ts';

/** Uses no site templates, so that a page gives the same content each time. */
export function onlyGeneric(extractor: Extractor): Templates {
  const template = createGenericTemplate(extractor);
  const candidates = [{ templateId: GENERIC_TEMPLATE_ID, score: 1, reason: 'templates of sites are not used' }];
  return { match: async () => ({ template, candidates }), generate: async () => undefined };
}
