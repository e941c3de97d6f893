import { getAttribute } from '../../tree/tree.ts';
import type { CompiledSelector } from './compiled-selector.ts';
import { type Chain, compileChains, type Compound, createCompound } from './direct-selector.ts';
import type { WantedNames } from './page-index.ts';

/**
 * Compiles common paths for the flat tree: downward steps by name, with attribute tests or a leading position.
 * Undefined for any other expression.
 *
 * @param source an expression that the engine accepts
 */
export function compileDirectXPath(source: string, wanted: WantedNames): CompiledSelector | undefined {
  const paths: Path[] = [];
  let rest = source.trim();
  for (;;) {
    const reader = new PathReader(rest);
    const path = reader.read();
    if (path === undefined) return undefined;
    paths.push(path);
    if (reader.rest === '') break;
    if (!reader.rest.startsWith('|')) return undefined;
    rest = reader.rest.slice(1).trim();
  }
  const [{ attribute } = { attribute: undefined }] = paths;
  if (paths.length > 1 && paths.some((path) => path.attribute !== undefined)) return undefined;
  const elements = compileChains(
    paths.map((path) => path.chain),
    wanted,
  );
  if (elements === undefined || attribute === undefined) return elements;
  return {
    select(page) {
      const { nodes } = elements.select(page);
      const values = nodes.map((node) => getAttribute(page.tree, node, attribute));
      return { nodes: [], values: values.filter((value) => value !== undefined) };
    },
  };
}

interface Path {
  readonly chain: Chain;
  readonly attribute: string | undefined;
}

const STEP = /^(\/\/?)\s*(\*|[A-Za-z][\w-]*)\s*(?![\w:(-])/;
const FINAL_ATTRIBUTE = /^\/\s*@([A-Za-z][\w-]*)\s*(?=$|\|)/;
const PREDICATE = /^\[((?:[^\]'"]|'[^']*'|"[^"]*")*)\]\s*/;

class PathReader {
  rest: string;

  constructor(source: string) {
    this.rest = source;
  }

  read(): Path | undefined {
    const chain: Compound[] = [];
    for (let step = this.#take(STEP); step !== undefined; step = this.#take(STEP)) {
      const [, axis, name = ''] = step;
      // Only `html` is known to be a child of the document.
      if (chain.length === 0 && axis === '/' && name.toLowerCase() !== 'html') return undefined;
      const compound = createCompound(chain.length === 0 ? undefined : axis === '/' ? 'child' : 'descendant');
      if (name !== '*') compound.tag = name.toLowerCase();
      chain.push(compound);
      if (!this.#readPredicates(compound)) return undefined;
    }
    if (chain.length === 0) return undefined;
    const attribute = this.#take(FINAL_ATTRIBUTE)?.[1]?.toLowerCase();
    return this.rest === '' || this.rest.startsWith('|') ? { chain, attribute } : undefined;
  }

  #readPredicates(compound: Compound): boolean {
    let isFirst = true;
    for (let found = this.#take(PREDICATE); found !== undefined; found = this.#take(PREDICATE)) {
      if (!readPredicate((found[1] ?? '').trim(), compound, isFirst)) return false;
      isFirst = false;
    }
    return true;
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    const match = pattern.exec(this.rest);
    if (match === null) return undefined;
    this.rest = this.rest.slice(match[0].length);
    return match;
  }
}

const NAME = '@([A-Za-z][\\w-]*)';
const TEXT = `(?:'([^']*)'|"([^"]*)")`;
const TOKEN_OF =
  /^contains\(\s*concat\(\s*(?:' '|" ")\s*,\s*(?:normalize-space\(\s*@class\s*\)|@class)\s*,\s*(?:' '|" ")\s*\)\s*,\s*(?:' ([^'\s]+) '|" ([^"\s]+) ")\s*\)/;
const EXISTS = new RegExp(`^${NAME}(?=\\s*$|\\s+and\\s)`);
const EQUALS = new RegExp(`^${NAME}\\s*=\\s*${TEXT}`);
const PART = new RegExp(`^(contains|starts-with)\\(\\s*${NAME}\\s*,\\s*${TEXT}\\s*\\)`);

function readPredicate(source: string, compound: Compound, isFirst: boolean): boolean {
  if (/^[1-9]\d{0,4}$/.test(source)) {
    if (!isFirst || compound.tag === undefined) return false;
    compound.nthOfType = Number(source);
    return true;
  }
  let rest = source;
  for (;;) {
    const length = readTest(rest, compound);
    if (length === 0) return false;
    rest = rest.slice(length).trim();
    if (rest === '') return true;
    const and = /^and\s+/.exec(rest);
    if (and === null) return false;
    rest = rest.slice(and[0].length);
  }
}

/** Length of one parsed test, or 0 if unsupported. */
function readTest(source: string, compound: Compound): number {
  const token = TOKEN_OF.exec(source);
  if (token !== null) {
    compound.classes.push(token[1] ?? token[2] ?? '');
    return token[0].length;
  }
  const equals = EQUALS.exec(source);
  if (equals !== null) {
    const [all, name = '', a, b] = equals;
    const value = a ?? b ?? '';
    if (name.toLowerCase() === 'id' && compound.id === undefined) compound.id = value;
    else compound.attributes.push({ name: name.toLowerCase(), action: 'equals', value });
    return all.length;
  }
  const part = PART.exec(source);
  if (part !== null) {
    const [all, kind, name = '', a, b] = part;
    const action = kind === 'contains' ? 'any' : 'start';
    compound.attributes.push({ name: name.toLowerCase(), action, value: a ?? b ?? '' });
    return all.length;
  }
  const exists = EXISTS.exec(source);
  if (exists === null) return 0;
  compound.attributes.push({ name: (exists[1] ?? '').toLowerCase(), action: 'exists', value: '' });
  return exists[0].length;
}
