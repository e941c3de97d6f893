import type { Element, ElementContent, Root } from 'hast';

/** Formats that Markdown writes with asterisks or tildes. */
const FORMATS: ReadonlySet<string> = new Set(['del', 'em', 'mark', 'strong', 'u']);
/** Their text must not change. */
const CODE: ReadonlySet<string> = new Set(['code', 'kbd', 'pre', 'samp', 'var']);

const WORD_END = /[^\p{P}\p{S}\s]$/u;
const WORD_START = /^[^\p{P}\p{S}\s]/u;
const LEADING_SIGNS = /^[\p{P}\p{S}\s]+/u;
/** Starts at the first sign of a run, so that no run is searched twice. */
const TRAILING_SIGNS = /(?<![\p{P}\p{S}\s])[\p{P}\p{S}\s]+$/u;

/** Parts of a format. More are in an element that nobody closed, and writing them overflows the stack. */
const MAX_PARTS = 10_000;

/**
 * Moves signs at the edge of a format out of it if a word touches that edge: Markdown cannot end a format with a sign
 * before a letter ("**Note:**the"). Formats of too many parts are unwrapped.
 * @returns the number of parts at any depth
 */
export function loosenFormats(parent: Root | Element): number {
  const children: ElementContent[] = [];
  let parts = 0;
  for (const [index, node] of parent.children.entries()) {
    if (node.type === 'doctype') continue;
    const inside = node.type === 'element' && !CODE.has(node.tagName) ? loosenFormats(node) : 0;
    parts += 1 + inside;
    if (node.type === 'element' && FORMATS.has(node.tagName) && inside > MAX_PARTS) {
      for (const child of node.children) append(children, child);
      continue;
    }
    if (node.type !== 'element' || !FORMATS.has(node.tagName)) {
      append(children, node);
      continue;
    }
    const next = parent.children[index + 1];
    const before = children.at(-1);
    const leading = before?.type === 'text' && WORD_END.test(before.value.slice(-2)) ? takeSigns(node, 'start') : '';
    const trailing = next?.type === 'text' && WORD_START.test(next.value) ? takeSigns(node, 'end') : '';
    append(children, { type: 'text', value: leading });
    if (node.children.length > 0) children.push(node);
    append(children, { type: 'text', value: trailing });
  }
  parent.children = children;
  return parts;
}

function append(children: ElementContent[], node: ElementContent): void {
  const last = children.at(-1);
  if (node.type !== 'text') children.push(node);
  else if (last?.type === 'text') last.value += node.value;
  else if (node.value !== '') children.push(node);
}

function takeSigns(format: Element, edge: 'start' | 'end'): string {
  const child = format.children.at(edge === 'start' ? 0 : -1);
  let signs = '';
  if (child?.type === 'element' && FORMATS.has(child.tagName)) signs = takeSigns(child, edge);
  else if (child?.type === 'text') {
    signs = (edge === 'start' ? LEADING_SIGNS : TRAILING_SIGNS).exec(child.value)?.[0] ?? '';
    child.value = edge === 'start' ? child.value.slice(signs.length) : child.value.slice(0, -signs.length || undefined);
  }
  const isEmpty =
    child?.type === 'text' ? child.value === '' : child?.type === 'element' && child.children.length === 0;
  if (isEmpty && signs !== '') format.children.splice(edge === 'start' ? 0 : -1, 1);
  return signs;
}
