/** What a robots.txt says to one robot: parsing and matching by RFC 9309, with a bound on both. */

interface Rule {
  readonly allow: boolean;
  /** As `normalize` gives it; `*` stands for any characters. */
  readonly pattern: string;
  /** The pattern had `$` at its end: it is for the whole path, not for its beginning. */
  readonly isWhole: boolean;
}

/** Half a mebibyte holds 50,000, which take a tenth of a second to sort out. */
const MAX_RULES = 10_000;

/** Wildcard rules times characters of the path, such as 500 rules and 2,000 characters: some 20 ms at worst. */
const MAX_STEPS = 1_000_000;

/** What a rule costs in memory beside its text, in bytes. */
const RULE_BYTES = 100;

/**
 * The rules for one robot. The libraries that there are take time of pattern × path and memory of robots × rules for
 * what strangers wrote; here both are linear in the file. A file that would still cost too much refuses every page:
 * whoever writes it closes no site but their own.
 */
export class RobotsGroup {
  readonly #rules: readonly Rule[];
  readonly #wildcards: number;
  /** Roughly what it takes to keep, in bytes. */
  readonly bytes: number;

  constructor(text: string, agent: string) {
    this.#rules = readRules(text, agent).toSorted(byPrecedence);
    this.#wildcards = this.#rules.filter(({ pattern }) => pattern.includes('*')).length;
    // The text as a whole: patterns may be slices of it.
    this.bytes = text.length + this.#rules.length * RULE_BYTES;
  }

  /** Undefined when the page may be fetched, else why not. */
  refusal(url: URL): string | undefined {
    if (this.#rules.length > MAX_RULES) return 'it has too many rules';
    const path = normalizePath(url.pathname + url.search);
    if (this.#wildcards * path.length > MAX_STEPS) return 'it has too many rules for an address this long';
    const rule = this.#rules.find((each) => matches(each, path));
    return rule === undefined || rule.allow ? undefined : 'the page is disallowed';
  }
}

/** RFC 9309, 2.2.2: the rule with the most octets decides; of two with as many, the one that allows. */
function byPrecedence(one: Rule, other: Rule): number {
  return countOctets(other) - countOctets(one) || Number(other.allow) - Number(one.allow);
}

function countOctets({ pattern, isWhole }: Rule): number {
  return pattern.length + Number(isWhole);
}

const LINE = /^[ \t\uFEFF]*(user-agent|allow|disallow)[ \t]*:([^\r\n#]*)/gim;

/**
 * RFC 9309, 2.2.1: all groups that name the robot count as one; if there is none, those for `*`. Other lines
 * (2.2.4) do not end a group.
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

/** Case does not count, nor does a version. */
function normalizeAgent(name: string): string {
  const [product = ''] = name.toLowerCase().split('/', 1);
  return product.trim();
}

function toRule(allow: boolean, value: string): Rule {
  const isWhole = value.endsWith('$');
  const pattern = normalize(isWhole ? value.slice(0, -1) : value).replaceAll(/\*{2,}/g, '*');
  return { allow, pattern, isWhole };
}

/** What stands for itself in a path is escaped in a rule (RFC 9309, 2.2.3). */
function normalizePath(path: string): string {
  return normalize(path).replaceAll('*', '%2A');
}

/** Escapes, and runs of characters that are neither reserved nor unreserved in RFC 3986. */
const ESCAPES = /%[0-9A-Fa-f]{2}|[^\w.~:/?#[\]@!$&'()*+,;=%-]+/g;

/** The unreserved characters, and `$`, which means something at the end of a rule alone. */
const UNESCAPED = /[\w.~$-]/;

/** RFC 9309, 2.2.2: what needs no escape is compared without, and what cannot stand in a URL escaped. */
function normalize(text: string): string {
  return text.toWellFormed().replaceAll(ESCAPES, (found) => {
    if (!found.startsWith('%')) return encodeURIComponent(found);
    const character = String.fromCharCode(Number.parseInt(found.slice(1), 16));
    return UNESCAPED.test(character) ? character : found.toUpperCase();
  });
}

/** Every part between wildcards is taken where it stands first: what is left for the others is longest then. */
function matches({ pattern, isWhole }: Rule, path: string): boolean {
  let star = pattern.indexOf('*');
  if (star === -1) return isWhole ? path === pattern : path.startsWith(pattern);
  if (!path.startsWith(pattern.slice(0, star))) return false;
  let from = star;
  for (let next = pattern.indexOf('*', star + 1); next !== -1; next = pattern.indexOf('*', star + 1)) {
    const part = pattern.slice(star + 1, next);
    const found = findPart(path, part, from);
    if (found === -1) return false;
    from = found + part.length;
    star = next;
  }
  const last = pattern.slice(star + 1);
  if (isWhole) return path.length - from >= last.length && path.endsWith(last);
  return findPart(path, last, from) !== -1;
}

/** Longest part at which looking at all its characters from every place is no loss. */
const SHORT = 6;

/** `text.indexOf(part, from)` in linear time, whatever the two are: Knuth, Morris and Pratt, 1977. */
function findPart(text: string, part: string, from: number): number {
  if (part.length <= SHORT || part.length > text.length - from) return text.indexOf(part, from);
  const borders = new Uint32Array(part.length);
  for (let at = 1, border = 0; at < part.length; at += 1) {
    const code = part.charCodeAt(at);
    while (border > 0 && code !== part.charCodeAt(border)) border = borders[border - 1] ?? 0;
    if (code === part.charCodeAt(border)) border += 1;
    borders[at] = border;
  }
  for (let at = from, matched = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    while (matched > 0 && code !== part.charCodeAt(matched)) matched = borders[matched - 1] ?? 0;
    if (code === part.charCodeAt(matched)) matched += 1;
    if (matched === part.length) return at - matched + 1;
  }
  return -1;
}
