import { TAG, TAG_FLAGS, HEADING } from '../../tree/tags.ts';
import { getAttribute, type Tree } from '../../tree/tree.ts';
import { rateName } from './stable-name.ts';

/** A selector of an element and its robustness, 0 to 1. */
export interface CandidateSelector {
  readonly css: string;
  readonly rating: number;
}

const NAMING_ATTRIBUTES = [
  'itemprop',
  'property',
  'role',
  'rel',
  'data-testid',
  'data-component',
  'data-role',
  'data-element',
  'data-qa',
];

const SEMANTIC: ReadonlySet<number> = new Set([TAG.article, TAG.main, TAG.time, TAG.h1, TAG.address, TAG.title]);

const WHOLE_PAGE = 0.3;

/** Most class names to offer for an element, best first. */
const MAX_NAMES = 4;

/**
 * Lists selectors of an element: by its own names, else below a named ancestor with its position. Positions and
 * generated names get low ratings but are offered, for sites with nothing else.
 */
export function listSelectors(tree: Tree, node: number): CandidateSelector[] {
  const own = listOwnNames(tree, node);
  const found: CandidateSelector[] = [...own];
  if (own.length === 0 || own[0].rating < 0.95) found.push(...listBelowAncestor(tree, node, own));
  return found;
}

function listOwnNames(tree: Tree, node: number): CandidateSelector[] {
  const tag = writeTag(tree, node);
  const names: CandidateSelector[] = [];
  const id = getAttribute(tree, node, 'id');
  if (id !== undefined && rateName(id) > 0) names.push({ css: `${tag}#${id}`, rating: rateName(id) });
  for (const name of NAMING_ATTRIBUTES) {
    const value = getAttribute(tree, node, name);
    if (value === undefined || !/^[\w:-]{2,60}$/.test(value) || /\d{3}/.test(value)) continue;
    names.push({ css: `${tag}[${name}="${value}"]`, rating: name === 'itemprop' || name === 'property' ? 1 : 0.9 });
  }
  const classes = listClasses(tree, node);
  for (const { name, rating } of classes.slice(0, MAX_NAMES))
    names.push({ css: `${tag}.${name}`, rating: rating * 0.95 });
  const [first, second] = classes;
  if (first !== undefined && second !== undefined) {
    names.push({ css: `${tag}.${first.name}.${second.name}`, rating: first.rating * second.rating * 0.9 });
  }
  if (SEMANTIC.has(tree.tag[node])) names.push({ css: tag, rating: 0.85 });
  else if (tree.tag[node] === TAG.html || tree.tag[node] === TAG.body) names.push({ css: tag, rating: WHOLE_PAGE });
  else if ((TAG_FLAGS[tree.tag[node]] & HEADING) !== 0) names.push({ css: tag, rating: 0.5 });
  return names.toSorted((a, b) => b.rating - a.rating);
}

function listClasses(tree: Tree, node: number): { name: string; rating: number }[] {
  const tokens = new Set((getAttribute(tree, node, 'class') ?? '').split(/\s+/).slice(0, 30));
  return [...tokens]
    .map((name) => ({ name, rating: rateName(name) }))
    .filter(({ rating }) => rating > 0)
    .toSorted((a, b) => b.rating - a.rating || b.name.length - a.name.length);
}

const MAX_LEVELS = 4;

function listBelowAncestor(tree: Tree, node: number, own: readonly CandidateSelector[]): CandidateSelector[] {
  const found: CandidateSelector[] = [];
  const tag = writeTag(tree, node);
  let path = `${tag}${own.length === 0 ? positionOf(tree, node) : ''}`;
  let positions = own.length === 0 ? 1 : 0;
  let above = tree.parent[node];
  for (let level = 1; above > 0 && level <= MAX_LEVELS; level++, above = tree.parent[above]) {
    const [name] = listOwnNames(tree, above);
    if (name !== undefined && name.rating >= 0.3) {
      const factor = 0.9 ** level;
      for (const one of own.slice(0, 2))
        found.push({ css: `${name.css} ${one.css}`, rating: name.rating * one.rating * factor });
      if (level === 1) found.push({ css: `${name.css} > ${tag}`, rating: name.rating * 0.75 });
      else found.push({ css: `${name.css} ${tag}`, rating: name.rating * 0.6 * factor });
      found.push({ css: `${name.css} > ${path}`, rating: name.rating * 0.5 * 0.8 ** (positions + level) });
      if (name.rating >= 0.8) break;
    }
    path = `${writeTag(tree, above)}${positionOf(tree, above)} > ${path}`;
    positions++;
  }
  return found;
}

/** Escapes names such as `o:p` and `p="intro"` for CSS. */
function writeTag(tree: Tree, node: number): string {
  return tree.value[node].replace(/[^\w-]/gu, String.raw`\$&`);
}

function positionOf(tree: Tree, node: number): string {
  const parent = tree.parent[node];
  if (parent < 0) return '';
  let place = 0;
  let count = 0;
  for (let i = parent + 1; i < tree.end[parent]; i = tree.end[i]) {
    if (tree.value[i] !== tree.value[node] || tree.tag[i] <= 1) continue;
    count++;
    if (i === node) place = count;
  }
  return count > 1 ? `:nth-of-type(${place})` : '';
}
