import { getAttribute, type Attribute, type Tree } from '../tree.ts';
import { TAG } from '../tags.ts';
import { isSameColor, parseColor, WHITE, type Color } from './colors.ts';
import { decodeEscapes, readDeclarations, type Declarations, type Declared } from './declarations.ts';
import { COLORED, judgeStyle, mayColor, mayHide, readGround, readTextColor } from './judge-style.ts';
import { SelectorCompiler, type CompiledSelector } from './match-selector.ts';
import { matchesScreen, readRules, type StyleRule } from './read-rules.ts';

type BareTree = Omit<Tree, 'hidden'>;

/** Limits of the parsed style sheets. */
const MAX_CHARACTERS = 262_144;
const MAX_RULES = 10_000;
const MAX_HIDING_RULES = 2_000;
const MAX_CLASSES = 20;
const MAX_DEPTH = 500;

const NO_ATTRIBUTES: readonly Attribute[] = [];
const TEXT_COLOR = /(?:^|[;{\s])color\s*:\s*([^;}!]{1,60})/i;
const GROUND_COLOR = /(?:^|[;{\s])background(?:-color)?\s*:\s*([^;}!]{1,60})/i;
const OF_PAGE = /(?:^|[\s,])(?:html|body|:root|\*)(?:$|[\s,])/i;
/** Names of classes and ids in a selector. */
const NAME = /[.#]((?:[\w-]|[^ -~\s]|\\[^\n]){1,200})/g;
/** Shown while the pointer or the focus is there. */
const FLEETING = /:(?:hover|focus|active)/i;
const VARIABLE = /var\(\s*(--[\w-]{1,99})\s*(?:,([^()]{0,200}))?\)/;
const VARIABLES = /(--[\w-]{1,99})\s*:\s*([^;{}]{1,200})/g;
const MAX_REFERENCES = 8;

/** Ranks of the cascade; specificity and order are below them. */
const IMPORTANT = 4e12;
const IN_STYLE = 2e12;
const OUTSIDE_LAYERS = 1e12;
const PER_SPECIFICITY = 1e6;

/** Collects the style sheets of a page. Linear and bounded. */
export class StyleSheets {
  readonly rules: StyleRule[] = [];
  /** Whether other sheets may change how the page looks. */
  hasImports = false;
  hasColorScheme = false;
  #left = MAX_CHARACTERS;

  read(css: string): void {
    const text = css.slice(0, this.#left);
    this.#left -= text.length;
    this.hasImports ||= text.length < css.length || text.includes('@import');
    this.hasColorScheme ||= text.includes('color-scheme');
    readRules(text, (rule) => {
      if (this.rules.length < MAX_RULES) this.rules.push(rule);
    });
  }
}

interface Rule {
  readonly source: StyleRule;
  readonly order: number;
  readonly selectors: readonly CompiledSelector[];
  readonly declarations: Declarations;
}

interface Candidate {
  readonly rule: Rule;
  readonly selector: CompiledSelector;
}

export interface HidingStyle {
  readonly declarations: Declarations;
  /** Of the rules that may hide the element. */
  readonly selectors: readonly string[];
}

/** What the style sheets and attributes of a page declare for an element. */
export class PageStyles {
  readonly #tree: BareTree;
  readonly #sheets: StyleSheets;
  readonly #compiler: SelectorCompiler;
  readonly #rules = new Map<number, Rule>();
  #orders: Map<string, number[]> | undefined;
  readonly #byName = new Map<string, readonly Rule[]>();
  readonly #byClass = new Map<string, Candidate[]>();
  readonly #byId = new Map<string, Candidate[]>();
  readonly #byTag = new Map<string, Candidate[]>();
  readonly #byAttribute: Candidate[] = [];
  #variables: Map<string, string> | undefined;
  /** Whether the page loads no style sheets: colours of elements are known. */
  readonly #isWhole: boolean;
  readonly #pageGround: Color | undefined;
  readonly #styles = new Map<string, Declarations>();
  /** Rules with a background by `kind name` of their key. */
  #grounds: Map<string, Candidate[]> | undefined;

  constructor(tree: BareTree, sheets: StyleSheets) {
    this.#tree = tree;
    this.#sheets = sheets;
    this.#compiler = new SelectorCompiler(tree);
    this.#isWhole = !sheets.hasImports && !loadsSheets(tree);
    this.#pageGround = this.#isWhole ? this.#findPageGround() : undefined;
    this.#indexHidingRules();
  }

  /** Whether a rule may hide elements of this name, with or without attributes. */
  get hidesTags(): boolean {
    return this.#byTag.size > 0;
  }

  /**
   * The declarations of an element, if rules may hide it.
   *
   * @returns undefined if no rule that may hide applies, or if another rule shows the element in another state
   */
  findHidingStyle(node: number, own: readonly Attribute[]): HidingStyle | undefined {
    const matched = this.#findCandidates(node, own).filter(({ selector }) => selector.matches(node));
    if (matched.length === 0) return undefined;
    const names = listNames(own);
    const style = this.#cascade(node, own, matched, names);
    const keys = new Set(matched.map(({ selector }) => selector.key.name));
    return names.some((name) => keys.has(name) && this.#isShownElsewhere(node, name, style))
      ? undefined
      : { declarations: style, selectors: matched.map(({ rule }) => rule.source.selector) };
  }

  readStyle(css: string): Declarations {
    const known = this.#styles.get(css);
    if (known !== undefined) return known;
    const style = this.#resolve(readDeclarations(css));
    if (this.#styles.size < MAX_RULES) this.#styles.set(css, style);
    return style;
  }

  /** Whether text of this colour is invisible on what is behind the element; false if that is unknown. */
  blendsIn(node: number, style: Declarations): boolean {
    const color = readTextColor(style);
    const ground = color === undefined ? undefined : this.#findGround(node);
    return color !== undefined && ground !== undefined && isSameColor(color, ground);
  }

  #indexHidingRules(): void {
    const ground = this.#pageGround;
    let left = MAX_HIDING_RULES;
    for (const [order, rule] of this.#sheets.rules.entries()) {
      const { declarations } = rule;
      if (!rule.isForAll || left === 0) continue;
      if (!mayHide(declarations) && !hidesByColor(declarations, ground)) continue;
      // Most of these rules hide nothing, and selectors compile slowly.
      const style = this.#resolve(readDeclarations(declarations));
      const bits = judgeStyle(style);
      if (bits === 0 || (bits === COLORED && !isColorOf(ground, style))) continue;
      const compiled = this.#compile(order);
      left--;
      for (const selector of compiled.selectors) this.#listOf(selector).push({ rule: compiled, selector });
    }
  }

  #listOf({ key: { kind, name } }: CompiledSelector): Candidate[] {
    if (kind === 'attribute') return this.#byAttribute;
    const index = kind === 'class' ? this.#byClass : kind === 'id' ? this.#byId : this.#byTag;
    const list = index.get(name) ?? [];
    index.set(name, list);
    return list;
  }

  #findCandidates(node: number, own: readonly Attribute[]): readonly Candidate[] {
    const found: Candidate[] = [];
    for (const { name, value } of own) {
      if (name === 'id') found.push(...(this.#byId.get(value) ?? []));
      else if (name === 'class' && this.#byClass.size > 0)
        for (const one of splitNames(value)) found.push(...(this.#byClass.get(one) ?? []));
    }
    if (this.#byTag.size > 0) found.push(...(this.#byTag.get(this.#tree.value[node]) ?? []));
    if (own.length > 0) found.push(...this.#byAttribute);
    return found;
  }

  #cascade(
    node: number,
    own: readonly Attribute[],
    matched: readonly Candidate[],
    names: readonly string[],
  ): Declarations {
    const ranks = new Map<string, number>();
    const style = new Map<string, Declared>();
    const add = (declarations: Declarations, rank: number): void => {
      for (const [property, declared] of declarations) {
        const full = rank + (declared.isImportant ? IMPORTANT : 0);
        if ((ranks.get(property) ?? -1) > full) continue;
        ranks.set(property, full);
        style.set(property, declared);
      }
    };
    const addRule = ({ source, order, declarations }: Rule, { specificity }: CompiledSelector): void =>
      add(declarations, (source.isLayered ? 0 : OUTSIDE_LAYERS) + specificity * PER_SPECIFICITY + order);
    for (const { rule, selector } of matched) addRule(rule, selector);
    for (const name of names) {
      for (const rule of this.#listRules(name)) {
        if (!rule.source.applies) continue;
        for (const selector of rule.selectors)
          if (selector.matches(node) && hasKey(selector, names)) addRule(rule, selector);
      }
    }
    const inline = own.find((attribute) => attribute.name === 'style')?.value;
    if (inline !== undefined) add(this.readStyle(inline), IN_STYLE);
    return style;
  }

  /** Whether a rule for the class or id shows an element that another one hides: a script switches between them. */
  #isShownElsewhere(node: number, name: string, style: Declarations): boolean {
    return this.#listRules(name).some(({ source, selectors, declarations }) => {
      if (FLEETING.test(source.selector) || !isShownBy(declarations, style)) return false;
      return selectors.some((selector) => selector.names.includes(name) && !(source.applies && selector.matches(node)));
    });
  }

  /** Rules that name a class or id. */
  #listRules(name: string): readonly Rule[] {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const orders = (this.#orders ??= this.#indexNames()).get(name) ?? [];
    const found = orders.map((order) => this.#compile(order));
    this.#byName.set(name, found);
    return found;
  }

  #indexNames(): Map<string, number[]> {
    const index = new Map<string, number[]>();
    for (const [order, { selector }] of this.#sheets.rules.entries()) {
      for (const [, raw = ''] of selector.matchAll(NAME)) {
        const name = decodeEscapes(raw);
        const orders = index.get(name);
        if (orders === undefined) index.set(name, [order]);
        else if (orders.at(-1) !== order) orders.push(order);
      }
    }
    return index;
  }

  #compile(order: number): Rule {
    const known = this.#rules.get(order);
    if (known !== undefined) return known;
    const source = this.#sheets.rules[order];
    const selectors = this.#compiler.compile(source.selector);
    const declarations = this.#resolve(readDeclarations(source.declarations));
    const rule = { source, order, selectors, declarations };
    this.#rules.set(order, rule);
    return rule;
  }

  #resolve(declarations: Map<string, Declared>): Declarations {
    for (const [property, { value, isImportant }] of declarations) {
      if (!value.includes('var(') || property.startsWith('--')) continue;
      const resolved = this.#substitute(value);
      if (resolved === undefined) declarations.delete(property);
      else declarations.set(property, { value: resolved, isImportant });
    }
    return declarations;
  }

  #substitute(value: string): string | undefined {
    let text = value;
    for (let count = 0; count < MAX_REFERENCES; count++) {
      const reference = VARIABLE.exec(text);
      if (reference === null) return text.includes('var(') ? undefined : text;
      const known = this.#readVariables().get(reference[1]) ?? reference[2];
      if (known === undefined || known === '') return undefined;
      text = text.slice(0, reference.index) + known.trim() + text.slice(reference.index + reference[0].length);
    }
    return undefined;
  }

  /** Empty for variables with several values, as in themes. */
  #readVariables(): ReadonlyMap<string, string> {
    if (this.#variables !== undefined) return this.#variables;
    this.#variables = new Map();
    for (const { declarations } of this.#sheets.rules) {
      for (const [, name = '', value = ''] of declarations.matchAll(VARIABLES)) {
        const known = this.#variables.get(name);
        const plain = value.trim().toLowerCase();
        this.#variables.set(name, known === undefined || known === plain ? plain : '');
      }
    }
    return this.#variables;
  }

  /** The background of the page itself; undefined if it is a picture or unknown. */
  #findPageGround(): Color | undefined {
    if (this.#sheets.hasColorScheme) return undefined;
    let ground: Color | 'picture' = WHITE;
    for (const [order, { selector, declarations, applies }] of this.#sheets.rules.entries()) {
      if (!applies || !declarations.includes('background') || !OF_PAGE.test(selector)) continue;
      ground = readGround(this.#compile(order).declarations) ?? ground;
    }
    const { size, tag } = this.#tree;
    for (let node = 1; node < size && tag[node] !== TAG.body; node++)
      if (tag[node] === TAG.html) ground = this.#readOwnGround(node) ?? ground;
    const body = tag.indexOf(TAG.body);
    if (body > 0) ground = this.#readOwnGround(body) ?? ground;
    return ground === 'picture' ? undefined : ground;
  }

  #findGround(node: number): Color | undefined {
    const { parent, tag, attributes } = this.#tree;
    for (let at = node, depth = 0; at > 0 && depth < MAX_DEPTH; at = parent[at], depth++) {
      if (tag[at] === TAG.body) break;
      const ground = this.#readOwnGround(at);
      if (ground !== undefined) return ground === 'picture' ? undefined : ground;
      const own = attributes[at];
      if (own === undefined) continue;
      // Other style sheets may give it a background.
      if (!this.#isWhole && listNames(own).length > 0) return undefined;
      if (isLifted(this.#styleOf(at, own)) && this.#tree.tag.includes(TAG.img)) return undefined;
    }
    return this.#pageGround;
  }

  #readOwnGround(node: number): Color | 'picture' | undefined {
    const own = this.#tree.attributes[node] ?? NO_ATTRIBUTES;
    if (getAttribute(this.#tree, node, 'background') !== undefined) return 'picture';
    const declared = readGround(this.#readGroundStyle(node, own));
    const attribute = getAttribute(this.#tree, node, 'bgcolor')?.trim().toLowerCase();
    if (declared !== undefined || attribute === undefined) return declared;
    return parseColor(attribute) ?? parseColor(`#${attribute}`) ?? 'picture';
  }

  #styleOf(node: number, own: readonly Attribute[]): Declarations {
    return this.#cascade(node, own, [], listNames(own));
  }

  /** With rules for element names, which `#cascade` does not look up. */
  #readGroundStyle(node: number, own: readonly Attribute[]): Declarations {
    const index = (this.#grounds ??= this.#indexGrounds());
    const keys = [
      `tag ${this.#tree.value[node]}`,
      'attribute ',
      ...listNames(own).flatMap((name) => [`class ${name}`, `id ${name}`]),
    ];
    const matched = keys.flatMap((key) => index.get(key) ?? []).filter(({ selector }) => selector.matches(node));
    return this.#cascade(node, own, matched, []);
  }

  #indexGrounds(): Map<string, Candidate[]> {
    const index = new Map<string, Candidate[]>();
    let left = MAX_HIDING_RULES;
    for (const [order, { applies, declarations }] of this.#sheets.rules.entries()) {
      if (!applies || !declarations.includes('background') || left-- <= 0) continue;
      const rule = this.#compile(order);
      for (const selector of rule.selectors) {
        const { kind, name } = selector.key;
        const key = kind === 'attribute' ? 'attribute ' : `${kind} ${name}`;
        const list = index.get(key) ?? [];
        index.set(key, list);
        list.push({ rule, selector });
      }
    }
    return index;
  }
}

/** A cheap test: most rules declare colours. */
function hidesByColor(declarations: string, pageGround: Color | undefined): boolean {
  if (!mayColor(declarations)) return false;
  const color = readColor(TEXT_COLOR, declarations);
  if (color === undefined) return false;
  if (pageGround !== undefined && isSameColor(color, pageGround)) return true;
  const ground = readColor(GROUND_COLOR, declarations);
  return ground !== undefined && isSameColor(color, ground);
}

function readColor(pattern: RegExp, declarations: string): Color | undefined {
  return parseColor(pattern.exec(declarations)?.[1]?.trim().toLowerCase() ?? '');
}

function isColorOf(ground: Color | undefined, style: Declarations): boolean {
  const color = readTextColor(style);
  return ground !== undefined && color !== undefined && isSameColor(color, ground);
}

function hasKey({ names }: CompiledSelector, of: readonly string[]): boolean {
  return names.some((name) => of.includes(name));
}

/** Above other elements, perhaps pictures. */
function isLifted(style: Declarations): boolean {
  const position = style.get('position')?.value;
  return position === 'absolute' || position === 'fixed';
}

const SWITCHES: readonly (readonly [property: string, hides: RegExp])[] = [
  ['display', /^none$/],
  ['visibility', /^(?:hidden|collapse)$/],
  ['opacity', /^0?\.?0*\d?%?$/],
  ['max-height', /^0/],
  ['height', /^0/],
];

function isShownBy(declarations: Declarations, style: Declarations): boolean {
  return SWITCHES.some(([property, hides]) => {
    const shown = declarations.get(property)?.value;
    const hidden = style.get(property)?.value;
    return shown !== undefined && hidden !== undefined && hides.test(hidden) && !hides.test(shown);
  });
}

function loadsSheets({ size, tag, attributes }: BareTree): boolean {
  for (let node = 1; node < size; node++) {
    if (tag[node] !== TAG.link) continue;
    const own = attributes[node] ?? [];
    const read = (name: string): string => own.find((attribute) => attribute.name === name)?.value ?? '';
    const media = read('media');
    if (/\bstylesheet\b/i.test(read('rel')) && (media === '' || matchesScreen(media))) return true;
  }
  return false;
}

function listNames(own: readonly Attribute[]): string[] {
  const names: string[] = [];
  for (const { name, value } of own) {
    if (name === 'id') names.push(value);
    else if (name === 'class') names.push(...splitNames(value));
  }
  return names;
}

function splitNames(value: string): string[] {
  return value.split(/\s+/, MAX_CLASSES).filter((name) => name !== '');
}
