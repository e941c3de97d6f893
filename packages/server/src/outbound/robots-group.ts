/** Parses and matches robots.txt by RFC 9309, with bounded time. */

interface Rule {
  readonly allow: boolean;
  readonly pattern: string;
  /** The pattern ended with `$`. */
  readonly isWhole: boolean;
}

/** 512 KiB can hold 50,000, which take 100 ms to sort. */
const MAX_RULES = 10_000;

/** Characters of wildcard rules × characters of the path. `indexOf` takes at most 0.4 ns for each: 20 ms. */
const MAX_STEPS = 50_000_000;

/** Added for each wildcard rule: even a search for a short part takes that long. */
const EXTRA_CHARACTERS = 40;

const RULE_BYTES = 100;

/**
 * Matches the rules for one robot in bounded time and linear memory, unlike existing libraries. Above `MAX_RULES` the
 * whole site is refused, above `MAX_STEPS` the URL.
 */
export class RobotsGroup {
  readonly #rules: readonly Rule[];
  readonly #wildcardCharacters: number;
  readonly bytes: number;

  constructor(text: string, agent: string) {
    this.#rules = readRules(text, agent).toSorted(byPrecedence);
    this.#wildcardCharacters = this.#rules
      .filter(({ pattern }) => pattern.includes('*'))
      .reduce((sum, { pattern }) => sum + EXTRA_CHARACTERS + pattern.length, 0);
    // The whole text counts: patterns may be slices of it.
    this.bytes = text.length + this.#rules.length * RULE_BYTES;
  }

  refusal(url: URL): string | undefined {
    if (this.#rules.length > MAX_RULES) return 'it has too many rules';
    const path = normalizePath(url.pathname + url.search);
    if (this.#wildcardCharacters * path.length > MAX_STEPS) return 'it has too many rules for an address this long';
    const rule = this.#rules.find((each) => matches(each, path));
    return rule === undefined || rule.allow ? undefined : 'the page is disallowed';
  }
}

/** RFC 9309, 2.2.2: the rule with the most octets wins; of equal ones, the allowing rule. */
function byPrecedence(one: Rule, other: Rule): number {
  return countOctets(other) - countOctets(one) || Number(other.allow) - Number(one.allow);
}

function countOctets({ pattern, isWhole }: Rule): number {
  return pattern.length + Number(isWhole);
}

const LINE = /^[ \t\uFEFF]*(user-agent|allow|disallow)[ \t]*:([^\r\n#]*)/gim;

/**
 * RFC 9309, 2.2.1: merges all groups naming the robot, or else those for `*`. Other lines (2.2.4) do not end a group.
 */
function readRules(text: string, agent: string): Rule[] {
  const own = { named: false, current: false, rules: [] as Rule[] };
  const all = { current: false, rules: [] as Rule[] };
  const name = normalizeAgent(agent);
  let namesRobots = false;
  for (const [, key = '', value = ''] of text.matchAll(LINE)) {
    if (key.toLowerCase() === 'user-agent') {
      if (!namesRobots) own.current = all.current = false;
      namesRobots = true;
      const robot = normalizeAgent(value);
      if (robot === name) own.named = own.current = true;
      if (robot === '*') all.current = true;
      continue;
    }
    namesRobots = false;
    const groups = [own, all].filter(({ current, rules }) => current && rules.length <= MAX_RULES);
    const pattern = value.trim();
    if (pattern === '' || groups.length === 0) continue;
    const rule = toRule(key.toLowerCase() === 'allow', pattern);
    for (const { rules } of groups) rules.push(rule);
  }
  return own.named ? own.rules : all.rules;
}

function normalizeAgent(name: string): string {
  const [product = ''] = name.toLowerCase().split('/', 1);
  return product.trim();
}

function toRule(allow: boolean, value: string): Rule {
  const isWhole = value.endsWith('$');
  const pattern = normalize(isWhole ? value.slice(0, -1) : value).replaceAll(/\*{2,}/g, '*');
  return { allow, pattern, isWhole };
}

/** Escapes characters that are special in rules (RFC 9309, 2.2.3). */
function normalizePath(path: string): string {
  return normalize(path).replaceAll('*', '%2A');
}

/** Escapes, and characters that RFC 3986 excludes. */
const ESCAPES = /%[0-9A-Fa-f]{2}|[^\w.~:/?#[\]@!$&'()*+,;=%-]+/g;

/** The unreserved characters, and `$`, which is special only at the end of a rule. */
const UNESCAPED = /[\w.~$-]/;

/** RFC 9309, 2.2.2: decodes needless escapes and escapes invalid URL characters. */
function normalize(text: string): string {
  return text.toWellFormed().replaceAll(ESCAPES, (found) => {
    if (!found.startsWith('%')) return encodeURIComponent(found);
    const character = String.fromCharCode(Number.parseInt(found.slice(1), 16));
    return UNESCAPED.test(character) ? character : found.toUpperCase();
  });
}

/** The first occurrence of each part leaves the longest rest. */
function matches({ pattern, isWhole }: Rule, path: string): boolean {
  let star = pattern.indexOf('*');
  if (star === -1) return isWhole ? path === pattern : path.startsWith(pattern);
  if (!path.startsWith(pattern.slice(0, star))) return false;
  let from = star;
  for (let next = pattern.indexOf('*', star + 1); next !== -1; next = pattern.indexOf('*', star + 1)) {
    const part = pattern.slice(star + 1, next);
    const found = path.indexOf(part, from);
    if (found === -1) return false;
    from = found + part.length;
    star = next;
  }
  const last = pattern.slice(star + 1);
  if (isWhole) return path.length - from >= last.length && path.endsWith(last);
  return path.indexOf(last, from) !== -1;
}
