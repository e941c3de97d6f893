import type { Selector } from '../format/template.ts';

const PREFIX = /^(css|xpath|json_ld)=/;
const XPATH = /^(?:\.{0,2}\/|\()/;
/** A type of schema.org and a path: `Product:offers.price`; `*:` stands for any type. */
const JSON_LD = /^(?:\*|[A-Z][A-Za-z]*):([A-Za-z@][\w@]*(?:\.[A-Za-z@][\w@]*)*)$/;
/** Pseudo-classes of CSS without a hyphen or parenthesis. */
const PSEUDO = new Set(
  'active checked default disabled empty enabled first focus hover indeterminate invalid last link optional required root scope target valid visited'.split(
    ' ',
  ),
);

/**
 * Detects the kind of a selector: XPath begins with `/`, `./`, `../` or `(`; a path in JSON-LD is a type with a
 * capital, a colon and names; everything else is CSS. A prefix `css=`, `xpath=` or `json_ld=` overrides this.
 */
export function readSelector(text: string): Pick<Selector, 'css' | 'xpath' | 'json_ld'> {
  const [prefix = '', kind] = PREFIX.exec(text) ?? [];
  const rest = text.slice(prefix.length);
  if (kind === 'css') return { css: rest };
  if (kind === 'xpath') return { xpath: rest };
  if (kind === 'json_ld') return { json_ld: rest };
  const trimmed = text.trim();
  if (XPATH.test(trimmed)) return { xpath: trimmed };
  const path = JSON_LD.exec(trimmed)?.[1];
  return path !== undefined && !PSEUDO.has(path) ? { json_ld: trimmed } : { css: text };
}
