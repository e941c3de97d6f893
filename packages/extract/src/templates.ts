/** Site templates: `@winnow/extract/templates`. Apart from the plain extractor, which needs no selector engine. */
export { applyTemplate } from './templates/apply-template.ts';
export type { AppliedTemplate, CustomValue } from './templates/apply-template.ts';
export { compileTemplate } from './templates/compile-template.ts';
export type { CompiledTemplate } from './templates/compile-template.ts';
export { scoreTemplate } from './templates/match-template.ts';
export type { TemplateScore } from './templates/match-template.ts';
export { computeSignature, getSignatureDistance, SIGNATURE_LENGTH } from './templates/signature.ts';
export { SelectorBudgetExceeded, TemplateFault } from './templates/template.ts';
export type {
  CustomField,
  FieldRule,
  Invariants,
  PostProcessor,
  Selector,
  Template,
  TemplateContent,
  TemplateField,
  UrlShape,
} from './templates/template.ts';
export { learnUrlShapes, matchesHost, scoreUrl, splitAddress } from './templates/url-shape.ts';
export type { AddressParts } from './templates/url-shape.ts';
export { induceTemplate, MAX_INDUCTION_PAGES } from './templates/induction/induce-template.ts';
export type { Induction } from './templates/induction/induce-template.ts';
export type { InductionPage } from './templates/induction/sample-page.ts';
export { extractWithTemplate, tryTemplate } from './templates/extract-with-template.ts';
export type { TemplateTrial } from './templates/extract-with-template.ts';
export { compareTexts } from './templates/judge-template.ts';
export type { Judgement } from './templates/judge-template.ts';
export { learnTemplate } from './templates/induction/learn-template.ts';
export type { Lesson } from './templates/induction/learn-template.ts';
