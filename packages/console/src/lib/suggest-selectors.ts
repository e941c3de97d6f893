import type { StoredDocument } from './stored-document.ts';

export interface SelectorSuggestion {
  readonly css: string;
  /** Number of matching elements; fewer is better. */
  readonly hits: number;
  readonly why: string;
}

/** Names with digits are often generated and change with the next build. */
const STABLE_NAME = /^[a-z][a-z_-]{1,40}$/i;

/** Attributes with meaning. */
const MEANINGFUL = ['itemprop', 'property', 'rel', 'role', 'data-testid', 'datetime', 'name'];

const MAX_SUGGESTIONS = 6;

/**
 * Selectors of an element, most durable first: attributes, id and classes, then its surroundings, then its position.
 */
export function suggestSelectors(page: StoredDocument, element: Element): SelectorSuggestion[] {
  const tag = element.localName;
  const candidates: { css: string; why: string }[] = [
    ...MEANINGFUL.flatMap((name) => describeAttribute(element, name)),
    ...(STABLE_NAME.test(element.id) ? [{ css: `#${CSS.escape(element.id)}`, why: 'its id' }] : []),
    ...stableClasses(element).map((name) => ({ css: `${tag}.${CSS.escape(name)}`, why: 'its class' })),
  ];
  const own = candidates.map(({ css }) => css);
  for (let parent = element.parentElement; parent; parent = parent.parentElement) {
    for (const scope of scopesOf(parent)) {
      candidates.push({ css: `${scope} ${own[0] ?? tag}`, why: 'its surroundings' });
    }
    if (candidates.length > MAX_SUGGESTIONS * 3) break;
  }
  candidates.push({ css: positionOf(element), why: 'only its position' });
  const seen = new Set<string>();
  const counted = candidates.flatMap(({ css, why }) => {
    if (seen.has(css)) return [];
    seen.add(css);
    return { css, why, hits: page.document.querySelectorAll(css).length };
  });
  const exact = counted.filter(({ hits }) => hits === 1);
  return [...exact, ...counted.filter(({ hits }) => hits !== 1)].slice(0, MAX_SUGGESTIONS);
}

function describeAttribute(element: Element, name: string): { css: string; why: string }[] {
  const value = element.getAttribute(name);
  if (value === null) return [];
  if (name === 'datetime') return [{ css: `${element.localName}[datetime]`, why: 'it has a date' }];
  return STABLE_NAME.test(value) ? [{ css: `[${name}="${CSS.escape(value)}"]`, why: `its ${name}` }] : [];
}

function stableClasses(element: Element): string[] {
  return [...element.classList].filter((name) => STABLE_NAME.test(name)).slice(0, 3);
}

function scopesOf(element: Element): string[] {
  if (STABLE_NAME.test(element.id)) return [`#${CSS.escape(element.id)}`];
  const [name] = stableClasses(element);
  if (name !== undefined) return [`.${CSS.escape(name)}`];
  return ['article', 'main', 'header', 'aside', 'footer'].includes(element.localName) ? [element.localName] : [];
}

function positionOf(element: Element): string {
  const parts: string[] = [];
  for (let one: Element | null = element; one?.parentElement; one = one.parentElement) {
    const same = [...one.parentElement.children].filter((sibling) => sibling.localName === one?.localName);
    const place = same.length === 1 ? '' : `:nth-of-type(${same.indexOf(one) + 1})`;
    parts.unshift(`${one.localName}${place}`);
  }
  return parts.join(' > ');
}
