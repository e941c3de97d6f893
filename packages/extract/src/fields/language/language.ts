import { pickBest, type Candidate, type FieldChoice, type Refused } from '../shared/candidate.ts';
import { readString } from '../../page/main-entity.ts';
import type { PageFacts } from '../../page/page-facts.ts';
import { detach } from '../../tree/detach.ts';
import { memoize } from '../../tree/memoize.ts';
import { detectLanguage } from './detect-language.ts';

/** The page's language (BCP 47), from its declarations and its text. */
export function findLanguage(facts: PageFacts, contentLanguage: string | undefined, mainText: string): FieldChoice {
  const refused: Refused[] = [];
  const declared: Candidate[] = [];
  add('html[lang]', facts.htmlLang, 0.9);
  add('meta:content-language', facts.meta.get('content-language')?.[0], 0.8);
  add('meta:og:locale', facts.meta.get('og:locale')?.[0], 0.75);
  add('http:content-language', contentLanguage?.split(',')[0], 0.7);
  for (const entity of facts.entities)
    add(`json-ld:${entity.types[0] ?? 'Thing'}.inLanguage`, readString(entity.properties['inLanguage']), 0.7);
  add('meta:dc.language', facts.meta.get('dc.language')?.[0], 0.7);
  add('meta:language', facts.meta.get('language')?.[0], 0.6);
  const detected = detectLanguage(
    mainText,
    declared.map((candidate) => candidate.value),
  );
  const agreeing: Candidate[] = [];
  for (const candidate of declared) {
    if (detected === null || isSameLanguage(candidate.value, detected)) agreeing.push(candidate);
    else refused.push({ source: candidate.source, value: candidate.value, reason: `the text is in ${detected}` });
  }
  if (detected !== null) agreeing.push({ source: 'text', value: detected, weight: 0.5 });
  return pickBest(agreeing, refused, { floor: 0.3, keyOf: (value) => value.toLowerCase() });

  function add(source: string, raw: string | null | undefined, weight: number): void {
    if (raw === null || raw === undefined || raw === '') return;
    const value = normalizeTag(raw);
    if (value === null) refused.push({ source, value: raw.slice(0, 40), reason: 'not a language tag' });
    else declared.push({ source, value, weight });
  }
}

const MAX_TAG = 35;
const MAX_KNOWN_TAGS = 500;
/** Cached: canonicalising one tag takes as long as the rest of this field. */
const canonicalize = memoize(readCanonical, MAX_KNOWN_TAGS);

/** Normalises a BCP 47 tag: `en_US` becomes `en-US`, `EN` becomes `en`; null if invalid. */
export function normalizeTag(raw: string): string | null {
  const tag = raw
    .trim()
    .split(/[.,;\s@]/)[0]
    .replaceAll('_', '-');
  if (!/^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i.test(tag) || /^(?:und|mul|zxx|mis)\b/i.test(tag) || tag.length > MAX_TAG)
    return null;
  return canonicalize(detach(tag));
}

function readCanonical(tag: string): string | null {
  try {
    const canonical = Intl.getCanonicalLocales(tag)[0] ?? null;
    return canonical === null || canonical.includes('-x-') ? null : canonical;
  } catch {
    return null;
  }
}

const EQUAL: readonly ReadonlySet<string>[] = [
  new Set(['no', 'nb', 'nn', 'da']),
  new Set(['sr', 'hr', 'bs', 'sh', 'me', 'cnr']),
  new Set(['id', 'ms', 'jv', 'su', 'min']),
  new Set(['zh', 'yue', 'cmn', 'wuu', 'lzh', 'ii']),
  new Set(['fa', 'prs', 'tg']),
  new Set(['fil', 'tl']),
  new Set(['he', 'iw']),
  new Set(['hi', 'mr', 'ne', 'bho', 'mai', 'sa']),
  new Set(['es', 'gl', 'ca', 'ast', 'oc', 'an']),
  new Set(['cs', 'sk']),
  new Set(['pt', 'gl']),
  new Set(['ru', 'be', 'uk', 'bg', 'mk']),
];

function isSameLanguage(a: string, b: string): boolean {
  const first = a.split('-')[0];
  const second = b.split('-')[0];
  return first === second || EQUAL.some((set) => set.has(first) && set.has(second));
}
