import { findStringEnd, removeComments } from './read-rules.ts';

/** Values by property: lower case, without comments, escapes and vendor prefixes. */
export type Declarations = ReadonlyMap<string, Declared>;

export interface Declared {
  readonly value: string;
  readonly isImportant: boolean;
}

const IMPORTANT = /\s?!\s?important$/;
const ESCAPE = /\\(?:([\da-f]{1,6})\s?|(.))/gi;
const PREFIX = /^-(?:webkit|moz|ms|o)-/;

/** Parses the declarations of a rule or a `style`. The last one of a property counts, except against `!important`. */
export function readDeclarations(css: string): Map<string, Declared> {
  const declarations = new Map<string, Declared>();
  let from = 0;
  let depth = 0;
  for (let at = 0; at <= css.length; at++) {
    const code = at < css.length ? css.charCodeAt(at) : 59;
    if (code === 34 || code === 39) at = findStringEnd(css, at);
    else if (code === 92 /* \ */) at++;
    else if (code === 47 && css.charCodeAt(at + 1) === 42 /* / and * */) {
      const end = css.indexOf('*/', at + 2);
      at = end < 0 ? css.length - 1 : end + 1;
    } else if (code === 40 /* ( */) depth++;
    else if (code === 41 /* ) */) depth = Math.max(0, depth - 1);
    else if (code === 59 /* ; */ && (depth === 0 || at >= css.length)) {
      addDeclaration(css.slice(from, at), declarations);
      from = at + 1;
    }
  }
  return declarations;
}

function addDeclaration(css: string, declarations: Map<string, Declared>): void {
  const plain = clean(removeComments(css));
  const colon = plain.indexOf(':');
  if (colon < 1) return;
  const property = plain.slice(0, colon).trim().replace(PREFIX, '');
  const text = plain.slice(colon + 1).trim();
  const value = text.replace(IMPORTANT, '');
  const isImportant = value.length < text.length;
  if (value === '' || (!isImportant && declarations.get(property)?.isImportant === true)) return;
  declarations.set(property, { value, isImportant });
}

function clean(css: string): string {
  return decodeEscapes(css).replaceAll(/\s+/g, ' ').trim().toLowerCase();
}

export function decodeEscapes(css: string): string {
  if (!css.includes('\\')) return css;
  return css.replaceAll(ESCAPE, (_, code: string | undefined, character: string | undefined) => {
    if (code === undefined) return character ?? '';
    const point = Number.parseInt(code, 16);
    return point > 0 && point <= 0x10_ffff ? String.fromCodePoint(point) : '\ufffd';
  });
}
