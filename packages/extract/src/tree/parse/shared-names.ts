import { TAG } from '../tags.ts';

/** The most common attributes. */
const ATTRIBUTES =
  'action align alt aria-controls aria-describedby aria-expanded aria-hidden aria-label aria-labelledby as async ' +
  'autocomplete border charset class color content crossorigin d data-action data-category data-component data-href data-id ' +
  'data-label data-name data-src data-srcset data-target data-testid data-title data-toggle datetime ' +
  'decoding defer dir fetchpriority fill focusable for height hidden href hreflang http-equiv id itemprop itemscope itemtype ' +
  'lang loading media method name onclick placeholder property rel role sizes src srcset style tabindex target title type ' +
  'valign value viewBox width xmlns';

/** Size of the hash table: a power of two without collisions of these names. */
const SLOTS = 4096;

/** The hash table. V8 interns the keys of objects. */
const NAMES: (string | undefined)[] = Array.from({ length: SLOTS });
for (const name of Object.keys({ ...Object.fromEntries(ATTRIBUTES.split(' ').map((key) => [key, 0])), ...TAG }))
  NAMES[findSlot(name, 0, name.length)] = name;

/**
 * Returns an interned string for a common name: interned strings compare by address and store their hash, which makes
 * all passes over attributes faster.
 */
export function readName(html: string, start: number, end: number): string {
  const name = NAMES[findSlot(html, start, end)];
  if (name === undefined || name.length !== end - start) return html.slice(start, end);
  for (let k = 0; k < name.length; k++)
    if (name.charCodeAt(k) !== html.charCodeAt(start + k)) return html.slice(start, end);
  return name;
}

function findSlot(text: string, start: number, end: number): number {
  const length = end - start;
  const first = text.charCodeAt(start);
  const middle = text.charCodeAt(start + (length >> 1));
  const last = text.charCodeAt(end - 1);
  return (first * 37 + middle * 251 + last * 1009 + length) & (SLOTS - 1);
}
