import { findStringEnd, removeComments } from './read-rules.ts';

/** The properties that tell whether text is hidden; others are not read. */
const SHOWING = ['display', 'visibility', 'content-visibility', 'opacity', 'filter', 'mask', 'mask-image'] as const;
const PLACES = ['left', 'top', 'right', 'bottom', 'inset', 'position', 'text-indent'] as const;
const MARGINS = ['margin-left', 'margin-top', 'margin-right', 'margin-bottom'] as const;
const CHANGES = ['transition', 'transition-property', 'transition-duration', 'animation', 'animation-name'] as const;
const FORMS = ['transform', 'translate', 'scale', 'zoom', 'clip', 'clip-path', 'will-change'] as const;
const SIZES = ['width', 'height', 'max-width', 'max-height', 'line-height', 'font', 'font-size'] as const;
const OVERFLOWS = ['overflow', 'overflow-x', 'overflow-y'] as const;
const COLORS = ['color', 'text-fill-color', 'text-shadow'] as const;
const GROUNDS = ['background', 'background-color', 'background-image', 'background-clip'] as const;
export type StyleProperty = (
  | typeof SHOWING
  | typeof PLACES
  | typeof MARGINS
  | typeof CHANGES
  | typeof FORMS
  | typeof SIZES
  | typeof OVERFLOWS
  | typeof COLORS
  | typeof GROUNDS
)[number];

/** Values by property: lower case, without comments, escapes and vendor prefixes. */
export type Declarations = ReadonlyMap<StyleProperty, Declared>;

export interface Declared {
  readonly value: string;
  readonly isImportant: boolean;
}

const IMPORTANT = /\s?!\s?important$/;
const ESCAPE = /\\(?:([\da-f]{1,6})\s?|(.))/gi;
/** An escape that does not stand for the character after it. */
const CODED_ESCAPE = /\\(?:[\da-f\\\n\r\u2028\u2029]|$)/i;
const PREFIX = /^-(?:webkit|moz|ms|o)-/;
const READ_NAMES: ReadonlySet<string> = new Set([
  ...SHOWING,
  ...PLACES,
  ...MARGINS,
  ...CHANGES,
  ...FORMS,
  ...SIZES,
  ...OVERFLOWS,
  ...COLORS,
  ...GROUNDS,
]);
const UNUSUAL_SPACE = /[\t-\r\u0080-\uffff]| {2}/;

/** Parses the declarations of a rule or a `style`. The last one of a property counts, except against `!important`. */
export function readDeclarations(css: string): Map<StyleProperty, Declared> {
  const declarations = new Map<StyleProperty, Declared>();
  let from = 0;
  let depth = 0;
  let colon = -1;
  let isPlain = true;
  for (let at = 0; at <= css.length; at++) {
    const code = at < css.length ? css.charCodeAt(at) : 59;
    if (code === 34 || code === 39) at = findStringEnd(css, at);
    else if (code === 92 /* \ */) {
      isPlain = false;
      at++;
    } else if (code === 47 && css.charCodeAt(at + 1) === 42 /* / and * */) {
      isPlain = false;
      const end = css.indexOf('*/', at + 2);
      at = end < 0 ? css.length - 1 : end + 1;
    } else if (code === 40 /* ( */) depth++;
    else if (code === 41 /* ) */) depth = Math.max(0, depth - 1);
    else if (code === 59 /* ; */ && (depth === 0 || at >= css.length)) {
      // Most declarations are of properties that are not read: a cheap test.
      if (!isPlain || (colon >= 0 && isRead(toProperty(css.slice(from, colon).trim()))))
        addDeclaration(css.slice(from, at), declarations);
      from = at + 1;
      colon = -1;
      isPlain = true;
    } else if (code === 58 /* : */ && colon < 0) colon = at;
  }
  return declarations;
}

function addDeclaration(css: string, declarations: Map<StyleProperty, Declared>): void {
  const plain = clean(css.includes('\\') || css.includes('/*') ? removeComments(css) : css);
  const colon = plain.indexOf(':');
  if (colon < 1) return;
  const property = toProperty(plain.slice(0, colon).trim());
  if (!isRead(property)) return;
  const text = plain.slice(colon + 1).trim();
  const value = text.replace(IMPORTANT, '');
  const isImportant = value.length < text.length;
  if (value === '' || (!isImportant && declarations.get(property)?.isImportant === true)) return;
  declarations.set(property, { value, isImportant });
}

function toProperty(name: string): string {
  const lower = name.toLowerCase();
  return lower.startsWith('-') ? lower.replace(PREFIX, '') : lower;
}

function isRead(property: string): property is StyleProperty {
  return READ_NAMES.has(property);
}

function clean(css: string): string {
  const plain = decodeEscapes(css);
  return (UNUSUAL_SPACE.test(plain) ? plain.replaceAll(/\s+/g, ' ') : plain).trim().toLowerCase();
}

export function decodeEscapes(css: string): string {
  if (!css.includes('\\')) return css;
  // Most escape a mark in a name.
  if (!CODED_ESCAPE.test(css)) return css.replaceAll('\\', '');
  return css.replaceAll(ESCAPE, (_, code: string | undefined, character: string | undefined) => {
    if (code === undefined) return character ?? '';
    const point = Number.parseInt(code, 16);
    return point > 0 && point <= 0x10_ffff ? String.fromCodePoint(point) : '\ufffd';
  });
}
