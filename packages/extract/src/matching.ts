/**
 * Which template fits a page: `@winnow/extract/matching`. Apart from the rest of the templates, so that whoever only
 * chooses one needs neither the extractor nor its model.
 */
export { scoreTemplate } from './templates/matching/match-template.ts';
export type { TemplateScore } from './templates/matching/match-template.ts';
export { computeSignature } from './templates/matching/signature.ts';
export { splitAddress } from './templates/matching/url-shape.ts';
export type { AddressParts } from './templates/matching/url-shape.ts';
