import { extractTree } from '../../pipeline/extract.ts';
import type { Extraction, ExtractOptions } from '../../types/extraction.ts';
import { parseTree } from '../../tree/parse/parse-tree.ts';
import type { Tree } from '../../tree/tree.ts';
import { applyTemplate, type AppliedTemplate } from './apply-template.ts';
import type { CompiledTemplate } from '../selectors/compile-template.ts';
import { compareTexts } from './compare-texts.ts';
import type { Template } from '../format/template.ts';

/**
 * Extracts a page with a template, from one parse. If the template does not fit, the result is the generic one and
 * `faults` says why.
 * @param page the parsed page, if the caller has it
 */
export function extractWithTemplate(
  html: string,
  compiled: CompiledTemplate,
  options: ExtractOptions = {},
  page?: Tree,
): AppliedTemplate {
  const changed = replaceText(html, compiled.template);
  const tree = changed === html && page !== undefined ? page : parseTree(changed);
  let made: Extraction | undefined;
  const generic = (): Extraction => (made ??= extractTree(tree, options));
  const applied = applyTemplate(tree, compiled, options, generic);
  if (applied.faults.length === 0) return applied;
  return {
    ...applied,
    extraction: changed === html ? generic() : extractTree(page ?? parseTree(html), options),
    fields: undefined,
  };
}

/** Result of a template on a page, and the generic extraction. */
export interface TemplateTrial {
  readonly applied: AppliedTemplate;
  readonly generic: Extraction;
  /** Word F1 of the two main texts. */
  readonly agreement: number;
}

/** Compares a template's result on a page with the generic extraction. */
export function tryTemplate(html: string, compiled: CompiledTemplate, options: ExtractOptions = {}): TemplateTrial {
  const generic = extractTree(parseTree(html), options);
  const tree = parseTree(replaceText(html, compiled.template));
  const applied = applyTemplate(tree, compiled, options, () => generic);
  const f1 = compareTexts(applied.found['main_text'] ?? '', generic.mainText);
  return { applied, generic, agreement: Math.round(f1 * 1000) / 1000 };
}

/** How much longer replacements may make a page, in characters: each one may multiply what an earlier one wrote. */
const MOST_ADDED = 2 ** 20;

function replaceText(html: string, template: Template): string {
  let text = html;
  for (const { find, replace } of template.replace ?? []) {
    const parts = text.split(find);
    const length = text.length + (parts.length - 1) * (replace.length - find.length);
    if (length <= 2 * html.length + MOST_ADDED) text = parts.join(replace);
  }
  return text;
}
