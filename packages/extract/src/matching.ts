/** `@winnow/extract/matching`: which template matches a page, without the extractor and its model. */
export { scoreTemplate } from './templates/matching/match-template.ts';
export type { TemplateScore } from './templates/matching/match-template.ts';
export { computeSignature } from './templates/matching/signature.ts';
export { describePath, splitAddress } from './templates/matching/url-shape.ts';
export type { AddressParts } from './templates/matching/url-shape.ts';
export { gatherEvidence } from './sites/site-evidence.ts';
export type { SiteEvidence } from './sites/site-evidence.ts';
export { gatherTaught } from './sites/taught-site.ts';
export type { MarkedPage, TaughtPage, TaughtSite } from './sites/taught-site.ts';
export type { PageNotes } from './sites/page-notes.ts';
export { findSelectorFault } from './templates/selectors/find-selector-fault.ts';
export { checkElementSelector } from './templates/selectors/pick-elements.ts';
export type { ElementChoice } from './templates/selectors/pick-elements.ts';
