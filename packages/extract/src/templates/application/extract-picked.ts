import { extractTree } from '../../pipeline/extract.ts';
import { parseTree } from '../../tree/parse/parse-tree.ts';
import type { Extraction, ExtractOptions } from '../../types/extraction.ts';
import { compileTemplate, type CompiledTemplate } from '../selectors/compile-template.ts';
import { pickElements, type ElementChoice } from '../selectors/pick-elements.ts';
import { applyTemplate } from './apply-template.ts';

let wholeBody: CompiledTemplate | undefined;

/**
 * Extracts a page after including and excluding elements. Included elements are the whole main text.
 * @throws {SelectorBudgetExceeded} for selectors that are too expensive on this page
 */
export function extractPicked(html: string, choice: ElementChoice, options: ExtractOptions = {}): Extraction {
  const tree = parseTree(pickElements(html, choice));
  if (choice.include.length === 0) return extractTree(tree, options);
  wholeBody ??= compileWholeBody();
  return applyTemplate(tree, wholeBody, options, () => extractTree(tree, options)).extraction;
}

function compileWholeBody(): CompiledTemplate {
  return compileTemplate({
    hosts: [],
    url_shapes: [],
    signature: null,
    fields: {},
    content: { include: [{ css: 'body' }], exclude: [], exclude_text: [] },
    custom: [],
    invariants: { required: [], main_text_words: null },
  });
}
