import { TAG, TEXT } from '../../tree/tags.ts';
import { getAttribute, type Tree } from '../../tree/tree.ts';
import type { TemplateField } from '../format/template.ts';

const NAMES: Readonly<Partial<Record<TemplateField, { readonly meta: RegExp; readonly linked: RegExp }>>> = {
  description: { meta: /description/i, linked: /"(?:description|abstract)"/ },
  author: { meta: /auth?or|creator|^byl|^twitter:data/i, linked: /"(?:author|creator)"/ },
  publish_time: {
    meta: /publi|pub-?date|date|issued|created|ptime/i,
    linked: /"(?:date(?:Published|Created|Issued)|uploadDate)"/,
  },
};

/** Whether a source is structured data instead of shown text. */
export function isStatement(source: string | null | undefined): boolean {
  return source?.startsWith('json-ld:') === true || source?.startsWith('meta:') === true;
}

/**
 * Whether structured data may contradict a value (or mention the field, for null). Only searches the source text, far
 * cheaper than parsing; true if in doubt.
 */
export function mayStateOther(tree: Tree, field: TemplateField, value: string | null): boolean {
  const names = NAMES[field];
  if (names === undefined) return false;
  const wanted = field === 'publish_time' ? value?.slice(0, 10) : value;
  let isMentioned = false;
  for (let node = 1; node < tree.size; node++) {
    const code = tree.tag[node];
    if (code !== TAG.meta && code !== TAG.script) continue;
    const text = code === TAG.meta ? readMeta(tree, node, names.meta) : readLinked(tree, node, names.linked);
    if (text === undefined) continue;
    if (typeof wanted === 'string' && text.includes(wanted)) return false;
    isMentioned = true;
  }
  return isMentioned;
}

function readMeta(tree: Tree, node: number, names: RegExp): string | undefined {
  const name =
    getAttribute(tree, node, 'property') ?? getAttribute(tree, node, 'name') ?? getAttribute(tree, node, 'itemprop');
  if (name === 'script:ld+json') return getAttribute(tree, node, 'content');
  return name !== undefined && names.test(name) ? getAttribute(tree, node, 'content') : undefined;
}

function readLinked(tree: Tree, node: number, names: RegExp): string | undefined {
  const child = node + 1;
  if (child >= tree.end[node] || tree.tag[child] !== TEXT) return undefined;
  if (getAttribute(tree, node, 'type')?.trim().toLowerCase() !== 'application/ld+json') return undefined;
  const text = tree.value[child];
  return names.test(text) ? text : undefined;
}
