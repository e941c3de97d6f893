import { getAttribute, type Attribute, type Tree } from '../tree.ts';
import { memoize } from '../memoize.ts';
import { getTagCode, OTHER, TAG } from '../tags.ts';
import { isSameColor, parseColor, WHITE, type Color } from './colors.ts';
import { readDeclarations, type Declarations, type Declared, type StyleProperty } from './declarations.ts';
import { COLORED, judgeStyle, mayColor, mayHide, readGround, readGroundColor, readTextColor } from './judge-style.ts';
import { SelectorCompiler, type SelectorKey, type StyleSelector } from './match-selector.ts';
import { NameIndex } from './name-index.ts';
import { matchesScreen, readRules, type StyleRule } from './read-rules.ts';

type BareTree = Omit<Tree, 'hidden'>;

/** Limits of the parsed style sheets. */
const MAX_CHARACTERS = 262_144;
const MAX_RULES = 10_000;
const MAX_HIDING_RULES = 2_000;
const MAX_CLASSES = 20;
const MAX_GROUNDS = 500;
const MAX_DEPTH = 500;
/** Elements by whose names rules are listed. */
const MAX_TAGS = 200;
/** Of names in selectors; afterwards, no rule reveals. */
const MAX_COMPARISONS = 1_000_000;

const NO_ATTRIBUTES: readonly Attribute[] = [];
const NO_CANDIDATES: readonly CandidateRule[] = [];
const NO_DECLARATIONS: Declarations = new Map();
const TEXT_COLOR = /(?:^|[;{\s])color\s*:\s*([^;}!]{1,60})/i;
const GROUND_COLOR = /(?:^|[;{\s])background(?:-color)?\s*:\s*([^;}!]{1,60})/i;
/** Selectors for the elements of the page itself, besides those with their classes and ids. */
const MAY_BE_PAGE = /\\|(?:^|[\s,>+~])(?:html|body|[:*[])/i;
const MAY_HAVE_GROUND = /background|\\/i;
const OF_PAGE = /(?:^|[\s,])(?:html|body|:root|\*)(?:$|[\s,])/i;
/** Shown while the pointer or the focus is there. */
const FLEETING = /:(?:hover|focus|active)/i;
/** Classes and ids in a selector. */
const NAMES = /[.#][\w-]{1,99}/g;
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
  readonly selectors: readonly StyleSelector[];
  readonly declarations: Declarations;
}

/** Whether an alternative of a selector may end with the name of an element. */
function endsWithTag(selector: string, tag: string): boolean {
  // Most selectors neither have the name nor capitals.
  if (!selector.includes(tag) && !/[A-Z]/.test(selector)) return false;
  const text = selector.toLowerCase();
  for (let at = text.indexOf(tag); at >= 0; at = text.indexOf(tag, at + 1))
    if (!/[\w.#-]/.test(text[at - 1] ?? ' ') && !/[\w-]/.test(text[at + tag.length] ?? ' ')) return true;
  return false;
}

/** Of the rules for elements with a class or id. */
interface NamedRules {
  /** Applying rules for elements with the class or id. */
  readonly applied: readonly CandidateRule[];
  /** Rules that may show what others hide. */
  readonly switching: readonly Rule[];
}

export interface CandidateRule {
  readonly rule: Rule;
  readonly selector: StyleSelector;
}

interface RevealingRule extends CandidateRule {
  /** Classes and ids in the selector. */
  readonly names: ReadonlySet<string>;
}

export interface HidingStyle {
  readonly declarations: Declarations;
  /** The effects of the declarations, see `judgeStyle`. */
  readonly bits: number;
  /** Of the rules that may hide the element. */
  readonly selectors: readonly string[];
}

/** What the style sheets and attributes of a page declare for an element. */
export class PageStyles {
  readonly #tree: BareTree;
  readonly #sheets: StyleSheets;
  readonly #compiler: SelectorCompiler;
  readonly #names: NameIndex;
  readonly #byTag = new Map<string, readonly CandidateRule[]>();
  #comparisons = MAX_COMPARISONS;
  /** Rules that may hide. */
  readonly #hiding = createIndex();
  #variables: Map<string, string> | undefined;
  /** Whether the page loads no style sheets: colours of elements are known. */
  readonly #isWhole: boolean;
  readonly #pageGround: Color | undefined;
  /** By the rules that apply, and the `style`. */
  readonly #cascades = new Map<string, Declarations>();
  /** Rules with a background; those for attributes under ''. */
  #grounds: RuleIndex | undefined;
  #groundOrders: readonly number[] | undefined;
  /** Behind elements and their ancestors; undefined if it is unknown. */
  readonly #foundGrounds = new Map<number, Color | undefined>();
  #hasPictures: boolean | undefined;
  #ruledGrounds: readonly Color[] | undefined;
  /** Backgrounds that attributes of the elements up to this one declare. */
  readonly #inlineGrounds: Color[] = [];

  constructor(tree: BareTree, sheets: StyleSheets) {
    this.#tree = tree;
    this.#sheets = sheets;
    this.#compiler = new SelectorCompiler(tree);
    this.#names = new NameIndex(sheets.rules, tree.attributes);
    this.#isWhole = !sheets.hasImports && !loadsSheets(tree);
    this.#pageGround = this.#isWhole ? this.#findPageGround() : undefined;
    this.#indexHidingRules();
  }

  /** Whether a rule may hide elements of this name, with or without attributes. */
  get hidesTags(): boolean {
    return this.#hiding.tag.size > 0;
  }

  /**
   * The declarations of an element, if rules may hide it.
   *
   * @returns undefined if no rule that may hide applies, or if another rule shows the element in another state
   */
  findHidingStyle(
    node: number,
    own: readonly Attribute[],
    ofClasses: readonly CandidateRule[],
  ): HidingStyle | undefined {
    const matched = this.#findMatches(node, own, ofClasses);
    if (matched.length === 0) return undefined;
    const names = listNames(own);
    const style = this.#cascade(node, own, matched, names);
    const keys = new Set(matched.map(({ selector }) => selector.key.name));
    const isShownInOtherState =
      names.some((name) => keys.has(name) && this.#isShownElsewhere(node, name, style)) ||
      matched.some((candidate) => this.#isRevealed(node, candidate, style));
    return isShownInOtherState
      ? undefined
      : { declarations: style, bits: judgeStyle(style), selectors: matched.map(({ rule }) => rule.source.selector) };
  }

  /** Rules that may hide elements with this `class`. */
  listCandidates(classes: string): readonly CandidateRule[] {
    if (this.#hiding.class.size === 0) return NO_CANDIDATES;
    const candidates = splitNames(classes).flatMap((name) => this.#hiding.class.get(name) ?? NO_CANDIDATES);
    return candidates.length === 0 ? NO_CANDIDATES : candidates;
  }

  /** Notes a background that an attribute declares, for `blendsIn` of the element and those after it. */
  noteStyle(css: string): void {
    if (this.#inlineGrounds.length <= MAX_GROUNDS && MAY_HAVE_GROUND.test(css))
      this.#inlineGrounds.push(...listGrounds(this.readStyle(css)));
  }

  noteBackground(attribute: string): void {
    const color = readColorAttribute(attribute);
    if (color !== 'picture' && this.#inlineGrounds.length <= MAX_GROUNDS) this.#inlineGrounds.push(color);
  }

  readonly readStyle: (css: string) => Declarations = memoize((css) => this.#resolve(readDeclarations(css)), MAX_RULES);

  /** Whether text of this colour is invisible on what is behind the element; false if that is unknown. */
  blendsIn(node: number, style: Declarations): boolean {
    const color = readTextColor(style);
    if (color === undefined || !this.#mayBeGround(color)) return false;
    const ground = this.#findGround(node);
    return ground !== undefined && isSameColor(color, ground);
  }

  #indexHidingRules(): void {
    const ground = this.#pageGround;
    let left = MAX_HIDING_RULES;
    for (const [order, rule] of this.#sheets.rules.entries()) {
      const { declarations } = rule;
      if (!rule.isForAll || left === 0 || !this.#names.mayMatch(order)) continue;
      if (!mayHide(declarations) && !hidesByColor(declarations, ground)) continue;
      // Most of these rules hide nothing, and selectors compile slowly.
      const style = this.#declarationsOf(order);
      const bits = judgeStyle(style);
      if (bits === 0 || (bits === COLORED && !isColorOf(ground, style))) continue;
      const compiled = this.#compile(order);
      left--;
      for (const selector of compiled.selectors) {
        const { kind, name } = selector.key;
        addTo(this.#hiding[kind], name, { rule: compiled, selector });
      }
    }
    for (const name of this.#hiding.tag.keys()) if (!this.#hasTag(name)) this.#hiding.tag.delete(name);
  }

  /** Whether an element of the page's content has this name; perhaps, for names without a code. */
  #hasTag(name: string): boolean {
    const code = getTagCode(name);
    return code !== TAG.html && code !== TAG.body && (code === OTHER || this.#tree.tag.includes(code));
  }

  #findMatches(node: number, own: readonly Attribute[], ofClasses: readonly CandidateRule[]): readonly CandidateRule[] {
    let matched = addMatches(NO_CANDIDATES, ofClasses, node);
    if (this.#hiding.tag.size > 0) matched = addMatches(matched, this.#hiding.tag.get(this.#tree.value[node]), node);
    if (this.#hiding.id.size > 0)
      for (const { name, value } of own)
        if (name === 'id') matched = addMatches(matched, this.#hiding.id.get(value), node);
    if (this.#hiding.attribute.size > 0) {
      for (const { name } of own) matched = addMatches(matched, this.#hiding.attribute.get(name), node);
      if (own.length > 0) matched = addMatches(matched, this.#hiding.attribute.get(''), node);
    }
    return matched;
  }

  #cascade(
    node: number,
    own: readonly Attribute[],
    matched: readonly CandidateRule[],
    names: readonly string[],
  ): Declarations {
    const applied = [...matched];
    // Mostly the one rule that hides the element.
    const only = matched.length === 1 ? matched[0].selector : undefined;
    for (const name of names)
      for (const candidate of this.#listRules(name).applied)
        if (candidate.selector !== only && candidate.selector.matches(node)) applied.push(candidate);
    if (matched.some(({ selector }) => selector.key.kind === 'tag'))
      for (const candidate of this.#listRulesOfTag(this.#tree.value[node]))
        if (candidate.selector !== only && candidate.selector.matches(node)) applied.push(candidate);
    const inline = own.find((attribute) => attribute.name === 'style')?.value;
    if (applied.length === 0) return inline === undefined ? NO_DECLARATIONS : this.readStyle(inline);
    if (applied.length === 1 && inline === undefined) return applied[0].rule.declarations;
    const key = `${applied.map(({ rule, selector }) => `${rule.order}.${selector.specificity}`).join()} ${inline ?? ''}`;
    const known = this.#cascades.get(key);
    if (known !== undefined) return known;
    const style = this.#combine(applied, inline);
    if (this.#cascades.size < MAX_RULES) this.#cascades.set(key, style);
    return style;
  }

  #combine(applied: readonly CandidateRule[], inline: string | undefined): Declarations {
    const ranks = new Map<StyleProperty, number>();
    const style = new Map<StyleProperty, Declared>();
    const add = (declarations: Declarations, rank: number): void => {
      for (const [property, declared] of declarations) {
        const full = rank + (declared.isImportant ? IMPORTANT : 0);
        if ((ranks.get(property) ?? -1) > full) continue;
        ranks.set(property, full);
        style.set(property, declared);
      }
    };
    const addRule = ({ source, order, declarations }: Rule, { specificity }: StyleSelector): void =>
      add(declarations, (source.isLayered ? 0 : OUTSIDE_LAYERS) + specificity * PER_SPECIFICITY + order);
    for (const { rule, selector } of applied) addRule(rule, selector);
    if (inline !== undefined) add(this.readStyle(inline), IN_STYLE);
    return style;
  }

  /** Whether a rule for the class or id shows an element that another one hides: a script switches between them. */
  #isShownElsewhere(node: number, name: string, style: Declarations): boolean {
    return this.#listRules(name).switching.some(({ source, selectors, declarations }) => {
      if (FLEETING.test(source.selector) || !isShownBy(declarations, style)) return false;
      return selectors.some((selector) => selector.names.includes(name) && !(source.applies && selector.matches(node)));
    });
  }

  /**
   * Whether a rule for the same elements inside the same ancestors in another state reveals what one hides, as
   * `.part.seen p` does for `.part p`.
   */
  #isRevealed(node: number, { rule, selector }: CandidateRule, style: Declarations): boolean {
    if (selector.key.kind !== 'tag') return false;
    const required: readonly string[] = rule.source.selector.match(NAMES) ?? [];
    if (required.length === 0) return false;
    for (const { rule: other, selector: shown, names } of this.#listRevealing(this.#tree.value[node])) {
      this.#comparisons -= required.length;
      if (this.#comparisons < 0) return false;
      if (!required.every((name) => names.has(name)) || !isShownBy(other.declarations, style, REVEALS)) continue;
      if (!shown.matches(node)) return true;
    }
    return false;
  }

  readonly #listRevealing = memoize((tag: string): readonly RevealingRule[] => {
    return this.#listRulesOfTag(tag).flatMap((candidate) => {
      const { source, declarations } = candidate.rule;
      if (FLEETING.test(source.selector) || !REVEALS.some(([property]) => declarations.has(property))) return [];
      return [{ ...candidate, names: new Set(source.selector.match(NAMES)) }];
    });
  }, MAX_TAGS);

  /** Rules for elements with a class or id. */
  readonly #listRules = memoize((name: string): NamedRules => {
    const orders = this.#names.listOrders(name);
    // Selectors compile slowly, and many rules declare nothing that is read.
    const rules = orders.filter((order) => this.#isRead(order)).map((order) => this.#compile(order));
    const applied = rules.flatMap((rule) =>
      rule.source.applies
        ? rule.selectors.filter(({ names }) => names.includes(name)).map((selector) => ({ rule, selector }))
        : [],
    );
    const switching = rules.filter(({ declarations }) => isSwitching(declarations));
    return { applied, switching };
  }, Infinity);

  /** Applying rules for elements with this name and any class: few pages need them. */
  #listRulesOfTag(tag: string): readonly CandidateRule[] {
    const known = this.#byTag.get(tag);
    if (known !== undefined) return known;
    if (this.#byTag.size === MAX_TAGS) return NO_CANDIDATES;
    const found: CandidateRule[] = [];
    let left = MAX_HIDING_RULES;
    for (const [order, { selector, applies }] of this.#sheets.rules.entries()) {
      if (!applies || left === 0 || !endsWithTag(selector, tag) || !this.#isRead(order)) continue;
      left--;
      const rule = this.#compile(order);
      for (const one of rule.selectors)
        if (one.key.kind === 'tag' && one.key.name === tag) found.push({ rule, selector: one });
    }
    this.#byTag.set(tag, found);
    return found;
  }

  #isRead(order: number): boolean {
    const declarations = this.#declarationsOf(order);
    return this.#names.mayMatch(order) ? declarations.size > 0 : isSwitching(declarations);
  }

  readonly #compile = memoize((order: number): Rule => {
    const source = this.#sheets.rules[order];
    const selectors = this.#compiler.compile(source.selector);
    return { source, order, selectors, declarations: this.#declarationsOf(order) };
  }, MAX_RULES);

  readonly #declarationsOf = memoize(
    (order: number) => this.#resolve(readDeclarations(this.#sheets.rules[order].declarations)),
    MAX_RULES,
  );

  #resolve(declarations: Map<StyleProperty, Declared>): Declarations {
    for (const [property, { value, isImportant }] of declarations) {
      if (!value.includes('var(')) continue;
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
      if (!declarations.includes('--')) continue;
      VARIABLES.lastIndex = 0;
      for (let match = VARIABLES.exec(declarations); match !== null; match = VARIABLES.exec(declarations)) {
        const known = this.#variables.get(match[1]);
        const plain = match[2].trim().toLowerCase();
        if (known !== plain) this.#variables.set(match[1], known === undefined ? plain : '');
      }
    }
    return this.#variables;
  }

  /** The background of the page itself; undefined if it is a picture or unknown. */
  #findPageGround(): Color | undefined {
    if (this.#sheets.hasColorScheme) return undefined;
    let ground: Color | 'picture' = WHITE;
    this.#groundOrders = this.#listGroundOrders();
    for (const order of this.#groundOrders)
      if (OF_PAGE.test(this.#sheets.rules[order].selector)) ground = readGround(this.#declarationsOf(order)) ?? ground;
    const { size, tag } = this.#tree;
    for (let node = 1; node < size && tag[node] !== TAG.body; node++)
      if (tag[node] === TAG.html) ground = this.#readOwnGround(node) ?? ground;
    const body = tag.indexOf(TAG.body);
    if (body > 0) ground = this.#readOwnGround(body) ?? ground;
    return ground === 'picture' ? undefined : ground;
  }

  /** Undefined if it is unknown. */
  #findGround(node: number): Color | undefined {
    const { tag, parent } = this.#tree;
    const path: number[] = [];
    let ground = this.#pageGround;
    for (let at = node; at > 0 && tag[at] !== TAG.body && path.length < MAX_DEPTH; at = parent[at]) {
      if (this.#foundGrounds.has(at)) {
        ground = this.#foundGrounds.get(at);
        break;
      }
      path.push(at);
      const own = this.#readOwnGround(at) ?? (this.#mayHaveOtherGround(at) ? 'picture' : undefined);
      if (own === undefined) continue;
      ground = own === 'picture' ? undefined : own;
      break;
    }
    for (const one of path) this.#foundGrounds.set(one, ground);
    return ground;
  }

  /** From other style sheets, or from a picture below it. */
  #mayHaveOtherGround(node: number): boolean {
    const own = this.#tree.attributes[node];
    if (own === undefined) return false;
    if (!this.#isWhole && listNames(own).length > 0) return true;
    return (this.#hasPictures ??= this.#tree.tag.includes(TAG.img)) && isLifted(this.#styleOf(node, own));
  }

  #readOwnGround(node: number): Color | 'picture' | undefined {
    const own = this.#tree.attributes[node] ?? NO_ATTRIBUTES;
    if (getAttribute(this.#tree, node, 'background') !== undefined) return 'picture';
    const declared = readGround(this.#readGroundStyle(node, own));
    const attribute = getAttribute(this.#tree, node, 'bgcolor');
    return declared !== undefined || attribute === undefined ? declared : readColorAttribute(attribute);
  }

  /** Whether the page or any element may have this colour behind its text: most colours of text are nowhere behind one. */
  #mayBeGround(color: Color): boolean {
    if (this.#pageGround !== undefined && isSameColor(color, this.#pageGround)) return true;
    const ruled = (this.#ruledGrounds ??= this.#listRuledGrounds());
    // On a page of many backgrounds a look at each would take quadratic time.
    if (this.#inlineGrounds.length + ruled.length > MAX_GROUNDS) return true;
    const isSame = (ground: Color): boolean => isSameColor(color, ground);
    return this.#inlineGrounds.some(isSame) || ruled.some(isSame);
  }

  #listRuledGrounds(): Color[] {
    const orders = (this.#groundOrders ??= this.#listGroundOrders());
    return orders.flatMap((order) => listGrounds(this.#declarationsOf(order)));
  }

  #styleOf(node: number, own: readonly Attribute[]): Declarations {
    return this.#cascade(node, own, [], listNames(own));
  }

  /** With rules for element names, which `#cascade` does not look up. */
  #readGroundStyle(node: number, own: readonly Attribute[]): Declarations {
    const code = this.#tree.tag[node];
    if (code === TAG.html || code === TAG.body) return this.#cascade(node, own, this.#findGroundsOfPage(node, own), []);
    const index = (this.#grounds ??= this.#indexGrounds());
    let matched = addMatches(NO_CANDIDATES, index.tag.get(this.#tree.value[node]), node);
    matched = addMatches(matched, index.attribute.get(''), node);
    for (const name of listNames(own)) {
      matched = addMatches(matched, index.class.get(name), node);
      matched = addMatches(matched, index.id.get(name), node);
    }
    return this.#cascade(node, own, matched, []);
  }

  /** Most pages need the backgrounds of these two elements only. */
  #findGroundsOfPage(node: number, own: readonly Attribute[]): CandidateRule[] {
    const names = listNames(own);
    const matched: CandidateRule[] = [];
    for (const order of (this.#groundOrders ??= this.#listGroundOrders()).slice(0, MAX_HIDING_RULES)) {
      const { selector } = this.#sheets.rules[order];
      if (!MAY_BE_PAGE.test(selector) && !names.some((name) => selector.includes(name))) continue;
      const rule = this.#compile(order);
      for (const one of rule.selectors) if (one.matches(node)) matched.push({ rule, selector: one });
    }
    return matched;
  }

  #listGroundOrders(): number[] {
    const orders: number[] = [];
    const { rules } = this.#sheets;
    for (let order = 0; order < rules.length; order++)
      if (rules[order].applies && this.#names.mayMatch(order) && rules[order].declarations.includes('background'))
        orders.push(order);
    return orders;
  }

  #indexGrounds(): RuleIndex {
    const index = createIndex();
    for (const order of (this.#groundOrders ??= this.#listGroundOrders()).slice(0, MAX_HIDING_RULES)) {
      const rule = this.#compile(order);
      for (const selector of rule.selectors) {
        const { kind, name } = selector.key;
        addTo(index[kind], kind === 'attribute' ? '' : name, { rule, selector });
      }
    }
    return index;
  }
}

/** Rules by what their selectors require of an element. */
type RuleIndex = Readonly<Record<SelectorKey['kind'], Map<string, CandidateRule[]>>>;

function createIndex(): RuleIndex {
  return { attribute: new Map(), class: new Map(), id: new Map(), tag: new Map() };
}

function addTo(rules: Map<string, CandidateRule[]>, name: string, rule: CandidateRule): void {
  const known = rules.get(name);
  if (known === undefined) rules.set(name, [rule]);
  else known.push(rule);
}

function addMatches(
  matched: readonly CandidateRule[],
  candidates: readonly CandidateRule[] | undefined,
  node: number,
): readonly CandidateRule[] {
  if (candidates === undefined || candidates.length === 0) return matched;
  const found = candidates.filter(({ selector }) => selector.matches(node));
  if (found.length === 0) return matched;
  return matched.length === 0 ? found : [...matched, ...found];
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

/** The colours that a style may give the background, alone or with others. */
function listGrounds(style: Declarations): Color[] {
  const values = [style.get('background-color')?.value, style.get('background')?.value];
  return values.map((value) => readGroundColor(value ?? '')).filter((color) => color !== undefined);
}

function readColorAttribute(value: string): Color | 'picture' {
  const color = value.trim().toLowerCase();
  return parseColor(color) ?? parseColor(`#${color}`) ?? 'picture';
}

/** Above other elements, perhaps pictures. */
function isLifted(style: Declarations): boolean {
  const position = style.get('position')?.value;
  return position === 'absolute' || position === 'fixed';
}

const SWITCHES: readonly (readonly [property: StyleProperty, hides: RegExp])[] = [
  ['display', /^none$/],
  ['visibility', /^(?:hidden|collapse)$/],
  ['opacity', /^(?:0*(?:\.0\d*)?|\d%)$/],
  ['max-height', /^0/],
  ['height', /^0/],
];

/** Those of effects; menus are switched by the others. */
const REVEALS = SWITCHES.filter(([property]) => property === 'opacity' || property === 'visibility');

function isSwitching(declarations: Declarations): boolean {
  return SWITCHES.some(([property]) => declarations.has(property));
}

function isShownBy(declarations: Declarations, style: Declarations, switches = SWITCHES): boolean {
  return switches.some(([property, hides]) => {
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
  if (value !== '' && !/\s/.test(value)) return [value];
  return value.split(/\s+/, MAX_CLASSES).filter((name) => name !== '');
}
