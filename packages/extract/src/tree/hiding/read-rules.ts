/** A style rule, or the part of one between nested rules. */
export interface StyleRule {
  readonly selector: string;
  readonly declarations: string;
  /** False if it applies only to other screens, to print or under unknown conditions. */
  readonly applies: boolean;
  /** True if it applies to screens of every width. */
  readonly isForAll: boolean;
  /** Inside `@layer`: rules outside layers win. */
  readonly isLayered: boolean;
}

interface Group {
  /** Undefined in groups such as `@media`. */
  readonly selector: string | undefined;
  readonly applies: boolean;
  readonly isForAll: boolean;
  readonly isLayered: boolean;
  /** Inside `@keyframes` and the like, which style no elements themselves. */
  readonly isSkipped: boolean;
}

const MAX_SELECTOR = 1_000;
const TOP: Group = { selector: undefined, applies: true, isForAll: true, isLayered: false, isSkipped: false };
const HTML_COMMENT = /^(?:<!--|-->|\s){1,9}/;
const CONDITIONAL = /^@(media|container|supports|layer)\b/i;
const WIDTH = /^\(\s*(min|max)-(?:device-)?width\s*:\s*([\d.]+)(px|r?em)\s*\)$/;
const WIDTH_RANGE = /^\(\s*width\s*([<>])=?\s*([\d.]+)(px|r?em)\s*\)$/;
const USUAL =
  /^(?:\(\s*(?:min-(?:device-)?height\s*:\s*[\d.]{1,4}px|orientation\s*:\s*landscape|prefers-color-scheme\s*:\s*light|(?:any-)?hover\s*:\s*hover|(?:any-)?pointer\s*:\s*fine|scripting\s*:\s*enabled)\s*\)|(?:only\s+)?(?:all|screen))$/;
/** Width of a usual screen, and of the Chromium engine's window. */
const SCREEN_WIDTH = 1280;
/** Of phones and of large screens. */
const WIDTHS = [320, 3840];
const EM = 16;

/** Ends with the character that tells the kinds apart. */
const MARK = /[{}"'\\]|\/\*|url\(/gi;
const BACKSLASH = 92;
const STAR = 42;
const LINE_FEED = 10;

/** Splits a style sheet into rules, in linear time. Follows strings, comments, escapes, groups and nested rules. */
export function readRules(css: string, take: (rule: StyleRule) => void): void {
  const open: Group[] = [];
  let group = TOP;
  /** Start of the current declarations, and of what may hold the end of the last of them. */
  let from = 0;
  let plain = 0;
  /** End of the last declaration. */
  let last = 0;
  const flush = (end: number): void => {
    const { selector, applies, isForAll, isLayered, isSkipped } = group;
    if (selector !== undefined && !isSkipped && end > from)
      take({ selector, declarations: css.slice(from, end), applies, isForAll, isLayered });
  };
  const pass = (mark: number): void => {
    const semicolon = css.slice(plain, mark).lastIndexOf(';');
    if (semicolon >= 0) last = plain + semicolon + 1;
  };
  MARK.lastIndex = 0;
  while (MARK.test(css)) {
    const at = MARK.lastIndex - 1;
    const code = css.charCodeAt(at);
    if (code === 123 /* { */) {
      pass(at);
      flush(last);
      open.push(group);
      group = openGroup(group, removeComments(css.slice(last, at)).trim());
      from = last = plain = at + 1;
    } else if (code === 125 /* } */) {
      flush(at);
      group = open.pop() ?? TOP;
      from = last = plain = at + 1;
    } else {
      pass(at);
      plain = MARK.lastIndex = endOfMark(css, at, code);
    }
  }
  if (open.length > 0) flush(css.length);
}

/** Index after a string, comment, escape or address whose mark ends at an index. */
function endOfMark(css: string, at: number, code: number): number {
  switch (code) {
    case BACKSLASH:
      return at + 2;
    case STAR:
      return indexPast(css, '*/', at + 1);
    case 40 /* ( */:
      return findUrlEnd(css, at) + 1;
    default:
      return findStringEnd(css, at) + 1;
  }
}

/** Removes comments, which separate words. Not for text with strings that contain comments. */
export function removeComments(css: string): string {
  if (!css.includes('/*')) return css;
  return css
    .split('/*')
    .map((part, index) => (index === 0 ? part : ` ${part.slice(indexPast(part, '*/'))}`))
    .join('');
}

function indexPast(text: string, mark: string, from = 0): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at + mark.length;
}

/** Index of the closing quote; a line end closes a string too. */
export function findStringEnd(css: string, from: number): number {
  const quote = css.charCodeAt(from);
  for (let at = from + 1; at < css.length; at++) {
    const code = css.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === quote || code === LINE_FEED) return at;
  }
  return css.length;
}

/** An address without quotes may contain any mark. */
function findUrlEnd(css: string, from: number): number {
  const next = css.charCodeAt(from + 1);
  if (next === 34 || next === 39) return from;
  const end = css.indexOf(')', from);
  return end < 0 ? css.length : end;
}

function openGroup(outer: Group, prelude: string): Group {
  if (!prelude.startsWith('@')) {
    const own = prelude.startsWith('<') || prelude.startsWith('-') ? prelude.replace(HTML_COMMENT, '') : prelude;
    const selector = outer.isSkipped || outer.selector === undefined ? own : nestSelector(outer.selector, own);
    const isSkipped = outer.isSkipped || selector.length > MAX_SELECTOR || selector === '';
    const { applies, isForAll, isLayered } = outer;
    return { selector, applies, isForAll, isLayered, isSkipped };
  }
  const kind = CONDITIONAL.exec(prelude)?.[1]?.toLowerCase();
  if (kind === undefined) return { ...outer, isSkipped: true };
  if (kind === 'layer') return { ...outer, isLayered: true };
  const condition = prelude
    .slice(kind.length + 1)
    .trim()
    .toLowerCase();
  if (kind === 'supports') {
    const isMet = !condition.startsWith('not');
    return { ...outer, applies: outer.applies && isMet, isForAll: outer.isForAll && isMet };
  }
  const applies = outer.applies && matchesScreen(condition);
  return { ...outer, applies, isForAll: outer.isForAll && WIDTHS.every((width) => matchesScreen(condition, width)) };
}

/** Empty if it is too long: each level may repeat the outer selector, so that levels would multiply it. */
function nestSelector(outer: string, inner: string): string {
  const parts = inner.split('&');
  if (parts.length === 1) return `:is(${outer}) ${inner}`;
  if (inner.length + (parts.length - 1) * (outer.length + 5) > MAX_SELECTOR) return '';
  return parts.join(`:is(${outer})`);
}

/** Whether a screen of this width meets a media query; false for unknown conditions. */
export function matchesScreen(query: string, screenWidth: number = SCREEN_WIDTH): boolean {
  return query
    .toLowerCase()
    .split(',')
    .some((one) => one.split(/\sand\s/).every((part) => matchesCondition(part.trim(), screenWidth)));
}

function matchesCondition(condition: string, screenWidth: number): boolean {
  const [, bound = '', size = '', unit = ''] = WIDTH.exec(condition) ?? WIDTH_RANGE.exec(condition) ?? [];
  if (bound === '') return USUAL.test(condition);
  const pixels = Number(size) * (unit === 'px' ? 1 : EM);
  return bound === 'min' || bound === '>' ? pixels <= screenWidth : pixels >= screenWidth;
}
