import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { francAll } from 'franc';
import { data } from 'franc/data.js';
import { SHARED_SCRIPTS } from './detect-language.ts';
import { rankLanguages } from './rank-languages.ts';
import { TRIGRAMS } from './trigrams.ts';

const TEXTS: readonly (readonly [script: string, text: string])[] = [
  [
    'Latin',
    'Specifications: 240 x 120 mm, 3.5 kg, colour black. Delivery in two to four working days, 30-day returns.',
  ],
  ['Latin', 'Der Stadtrat hat am Montag erklärt, dass die neue Linie im nächsten Jahr öffnet.'],
  ['Latin', 'Kód ABC: Москва, Latin for the most part'],
  ['Latin', 'Short'],
  ['Cyrillic', 'Міська рада повідомила в понеділок, що нова лінія відкриється наступного року.'],
  ['Cyrillic', 'Русский текст с одним словом: English'],
  ['Arabic', 'أعلن المجلس يوم الاثنين أن الخط الجديد سيفتتح العام المقبل'],
  ['Devanagari', 'परिषद ने सोमवार को कहा कि नई लाइन अगले साल खुलेगी'],
];
const ONLY: Readonly<Record<string, readonly string[]>> = {
  Latin: ['eng', 'deu', 'ces', 'spa', 'por', 'tur', 'ind', 'zlm'],
  Cyrillic: ['rus', 'ukr', 'bul'],
  Arabic: ['arb', 'pes', 'urd', 'pbu'],
  Devanagari: ['hin', 'mar'],
};

function assertAgrees(script: string, text: string): void {
  const only = ONLY[script];
  const ofFranc = francAll(text, { only: [...only], minLength: 10 }).filter(([code]) => only.includes(code));
  assert.deepEqual(sortRanks(rankLanguages(text, script, only)), sortRanks(ofFranc), text);
}

/** Languages of one score have no order. */
function sortRanks(ranks: readonly (readonly [string, number])[]): (readonly [string, number])[] {
  return ranks.toSorted((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
}

test('ranks and scores equal those of franc', () => {
  for (const [script, text] of TEXTS) assertAgrees(script, text);
  const trigrams = Object.entries(data['Latin']).flatMap(([, list]) => list.split('|').slice(0, 40));
  const texts = fc.array(fc.constantFrom(...trigrams, ' ', '.', '7'), { maxLength: 80 });
  fc.assert(fc.property(texts, (parts) => assertAgrees('Latin', `Ж: ${parts.join('')} text`)));
});

test('the trigrams are those of franc, for each detected language', () => {
  for (const { script, languages } of SHARED_SCRIPTS) {
    const expected = Object.keys(languages).map((code) => [code, data[script][code]]);
    assert.deepEqual(TRIGRAMS[script], Object.fromEntries(expected));
  }
});
