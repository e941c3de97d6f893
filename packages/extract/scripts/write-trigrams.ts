/** Writes the trigrams of the detected languages from the data of franc, which has three times as many languages. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { data } from 'franc/data.js';
import { SHARED_SCRIPTS } from '../src/fields/language/detect-language.ts';

const FILE = join(import.meta.dirname, '../src/fields/language/trigrams.ts');

const scripts = SHARED_SCRIPTS.map(({ script, languages }) => {
  const lines = Object.keys(languages).map((code) => `    ${code}: ${JSON.stringify(data[script]?.[code])},\n`);
  return `  ${script}: {\n${lines.join('')}  },\n`;
});
writeFileSync(
  FILE,
  `/**
 * The 300 most frequent trigrams of each detected language, by script and code (ISO 639-3): written by
 * \`scripts/write-trigrams.ts\` from the data of franc (Copyright (c) Titus Wormer, MIT licence), never by hand.
 */
export const TRIGRAMS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
${scripts.join('')}};
`,
);
