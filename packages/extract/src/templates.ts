/** `@winnow/extract/templates`: site templates. Separate, because the extractor needs no selector engine. */
export { applyTemplate } from './templates/application/apply-template.ts';
export type { AppliedTemplate, CustomValue } from './templates/application/apply-template.ts';
export { compileTemplate } from './templates/selectors/compile-template.ts';
export type { CompiledTemplate } from './templates/selectors/compile-template.ts';
export { scoreTemplate } from './templates/matching/match-template.ts';
export type { TemplateScore } from './templates/matching/match-template.ts';
export { computeSignature, getSignatureDistance, SIGNATURE_LENGTH } from './templates/matching/signature.ts';
export { SelectorBudgetExceeded, TemplateFault } from './templates/format/template.ts';
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
} from './templates/format/template.ts';
export { matchesHost, scoreUrl, splitAddress } from './templates/matching/url-shape.ts';
export type { AddressParts } from './templates/matching/url-shape.ts';
export { extractWithTemplate, tryTemplate } from './templates/application/extract-with-template.ts';
export type { TemplateTrial } from './templates/application/extract-with-template.ts';
export { compileFields, readFields } from './templates/application/requested-fields.ts';
export type {
  CompiledFields,
  ReadFields,
  RequestedField,
  RequestedValue,
} from './templates/application/requested-fields.ts';
export { extractTree } from './sites/extract-on-site.ts';
export type { SiteExtraction, SiteOptions } from './sites/extract-on-site.ts';
export { markPage, outlinePage } from './sites/mark-page.ts';
export type { OutlinedBlock } from './sites/mark-page.ts';
export { parseTree } from './tree/parse/parse-tree.ts';
export type { Tree } from './tree/tree.ts';
export { extractPicked } from './templates/application/extract-picked.ts';
export { pickElements } from './templates/selectors/pick-elements.ts';
export type { ElementChoice } from './templates/selectors/pick-elements.ts';
