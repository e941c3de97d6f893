import { extractTree, type SiteExtraction, type SiteOptions } from '../../sites/extract-on-site.ts';
import type { PageNotes } from '../../sites/page-notes.ts';
import type { Extraction, ExtractOptions } from '../../types/extraction.ts';
import { parseTree } from '../../tree/parse/parse-tree.ts';
import type { Tree } from '../../tree/tree.ts';
import { applyTemplate, type AppliedTemplate } from './apply-template.ts';
import type { CompiledTemplate } from '../selectors/compile-template.ts';
import type { Template } from '../format/template.ts';

export interface SiteTemplateAnswer extends AppliedTemplate {
  readonly notes: PageNotes | undefined;
}

/**
 * Extracts a page with a template, from one parse. If the template does not fit, the result is the generic one and
 * `faults` says why.
 * @param page the parsed page, if the caller has it
 */
export function extractWithTemplate(
  html: string,
  compiled: CompiledTemplate,
  options: SiteOptions = {},
  page?: Tree,
): SiteTemplateAnswer {
  const changed = replaceText(html, compiled.template);
  const tree = changed === html && page !== undefined ? page : parseTree(changed);
  const { taught } = compiled.template;
  let made: SiteExtraction | undefined;
  const ofSite = (): SiteExtraction => (made ??= extractTree(tree, { ...options, taught }));
  const applied = applyTemplate(tree, compiled, options, () => withoutSite(ofSite()));
  if (applied.faults.length > 0) {
    const isSame = changed === html && taught === undefined;
    const { notes, ...generic } = isSame ? ofSite() : extractTree(page ?? parseTree(html), options);
    return { ...applied, extraction: generic, fields: undefined, notes };
  }
  return { ...noteTaught(applied, compiled.template, made), notes: made?.notes };
}

function withoutSite({ notes: _notes, isTaught: _isTaught, ...extraction }: SiteExtraction): Extraction {
  return extraction;
}

/** Names the source of a main text that marks may decide. */
function noteTaught(
  applied: AppliedTemplate,
  { content, taught }: Template,
  extraction: SiteExtraction | undefined,
): AppliedTemplate {
  if (content !== null || taught === undefined || extraction === undefined) return applied;
  if (extraction.isTaught === true) return { ...applied, selectors: { ...applied.selectors, main_text: TAUGHT } };
  return {
    ...applied,
    reasons: { ...applied.reasons, main_text: 'no text is where the marked pages have content' },
    missed: [...applied.missed, TAUGHT],
  };
}

/** The rule that the marks are, and the source of the main text. */
const TAUGHT = 'taught';

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
  const { taught } = compiled.template;
  const made = taught === undefined ? generic : extractTree(tree, { ...options, taught });
  const applied = noteTaught(
    applyTemplate(tree, compiled, options, () => withoutSite(made)),
    compiled.template,
    made,
  );
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

const WORD = /[\p{L}\p{N}_]+/gu;

/** Returns the F1 of two texts as multisets of words. */
function compareTexts(text: string, other: string): number {
  const words = text.toLowerCase().match(WORD) ?? [];
  const others = other.toLowerCase().match(WORD) ?? [];
  const counts = new Map<string, number>();
  for (const word of others) counts.set(word, (counts.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of words) {
    const left = counts.get(word) ?? 0;
    if (left === 0) continue;
    counts.set(word, left - 1);
    shared++;
  }
  return shared === 0 ? 0 : (2 * shared) / (words.length + others.length);
}
