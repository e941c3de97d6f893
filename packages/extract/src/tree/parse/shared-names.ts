import { TAG } from '../tags.ts';

/** Attributes that pages use most. */
const ATTRIBUTES =
  'action align alt aria-controls aria-describedby aria-expanded aria-hidden aria-label aria-labelledby as async ' +
  'autocomplete border charset class color content crossorigin d data-action data-category data-component data-href data-id ' +
  'data-label data-name data-src data-srcset data-target data-testid data-title data-toggle datetime ' +
  'decoding defer dir fetchpriority fill focusable for height hidden href hreflang http-equiv id itemprop itemscope itemtype ' +
  'lang loading media method name onclick placeholder property rel role sizes src srcset style tabindex target title type ' +
  'valign value viewBox width xmlns';

/** A power of two that gives each of these names its own place. */
const PLACES = 4096;

/** One name a place; the keys of an object are the strings that V8 shares. */
const NAMES: (string | undefined)[] = Array.from({ length: PLACES });
for (const name of Object.keys({ ...Object.fromEntries(ATTRIBUTES.split(' ').map((key) => [key, 0])), ...TAG }))
  NAMES[findPlace(name, 0, name.length)] = name;

/**
 * Returns a shared string for a common name: shared strings compare by address and know their hash, which makes all
 * passes over attributes faster.
 */
export function readName(html: string, start: number, end: number): string {
  const name = NAMES[findPlace(html, start, end)];
  if (name === undefined || name.length !== end - start) return html.slice(start, end);
  for (let k = 0; k < name.length; k++)
    if (name.charCodeAt(k) !== html.charCodeAt(start + k)) return html.slice(start, end);
  return name;
}

function findPlace(text: string, start: number, end: number): number {
  const length = end - start;
  const first = text.charCodeAt(start);
  const middle = text.charCodeAt(start + (length >> 1));
  const last = text.charCodeAt(end - 1);
  return (first * 37 + middle * 251 + last * 1009 + length) & (PLACES - 1);
}
