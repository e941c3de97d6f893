import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { francAll } from 'franc';
import { data } from 'franc/data.js';
import { rankLanguages } from './rank-languages.ts';

const TEXTS: readonly (readonly [script: string, text: string])[] = [
  [
    'Latin',
    'Specifications: 240 x 120 mm, 3.5 kg, colour black. Delivery in two to four working days, 30-day returns.',
  ],
  ['Latin', 'Der Stadtrat hat am Montag erklärt, dass die neue Linie im nächsten Jahr öffnet.'],
  ['Latin', 'Kód ABC: Москва, Latin only in part'],
  ['Latin', 'Short'],
  ['Cyrillic', 'Міська рада повідомила в понеділок, що нова лінія відкриється наступного року.'],
  ['Cyrillic', 'The text is English, с русским словом'],
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
  assert.deepEqual(rankLanguages(text, script, only), ofFranc, text);
}

test('ranks and scores equal those of franc', () => {
  for (const [script, text] of TEXTS) assertAgrees(script, text);
  const trigrams = Object.entries(data['Latin']).flatMap(([, list]) => list.split('|').slice(0, 40));
  const texts = fc.array(fc.constantFrom(...trigrams, ' ', '.', 'Я', 'ж', '7'), { maxLength: 80 });
  fc.assert(fc.property(texts, (parts) => assertAgrees('Latin', parts.join(''))));
});

test('a text in another script has no ranks', () => {
  assert.deepEqual(rankLanguages('Только русский текст', 'Latin', ONLY['Latin']), []);
});
