import { extractTree } from '../../pipeline/extract.ts';
import type { Extraction, ExtractOptions } from '../../types/extraction.ts';
import { parseTree } from '../../tree/parse/parse-tree.ts';
import { applyTemplate, type AppliedTemplate } from './apply-template.ts';
import type { CompiledTemplate } from '../selectors/compile-template.ts';
import { judgeTemplate, type Judgement } from './judge-template.ts';
import type { Template } from '../format/template.ts';

/**
 * Extracts a page with a template, from one parse. If the template does not fit, the result is the generic one and
 * `faults` says why.
 */
export function extractWithTemplate(
  html: string,
  compiled: CompiledTemplate,
  options: ExtractOptions = {},
): AppliedTemplate {
  const changed = replaceText(html, compiled.template);
  const tree = parseTree(changed);
  let made: Extraction | undefined;
  const generic = (): Extraction => (made ??= extractTree(tree, options));
  const applied = applyTemplate(tree, compiled, options, generic);
  if (applied.faults.length === 0) return applied;
  return {
    ...applied,
    extraction: changed === html ? generic() : extractTree(parseTree(html), options),
    fields: undefined,
  };
}

/** Result of a template on a page, and the generic extraction. */
export interface TemplateTrial {
  readonly applied: AppliedTemplate;
  readonly generic: Extraction;
  readonly judgement: Judgement;
}

/** Compares a template's result on a page with the generic extraction. */
export function tryTemplate(html: string, compiled: CompiledTemplate, options: ExtractOptions = {}): TemplateTrial {
  const generic = extractTree(parseTree(html), options);
  const tree = parseTree(replaceText(html, compiled.template));
  const applied = applyTemplate(tree, compiled, options, () => generic);
  return {
    applied,
    generic,
    judgement: judgeTemplate(compiled.template, applied.faults, applied.found['main_text'] ?? '', generic),
  };
}

function replaceText(html: string, template: Template): string {
  let text = html;
  for (const { find, replace } of template.replace ?? []) text = text.replaceAll(find, () => replace);
  return text;
}
