import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { extract } from '../src/index.ts';

/** Expected results, with the field names of the service. */
interface Expectation {
  url: string;
  title: string;
  author: string | null;
  publish_time: string | null;
  language: string;
  description: string | null;
  main_text: string;
}

const FOLDER = join(import.meta.dirname, 'languages');
const names = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.html'))
  .map((file) => file.slice(0, -'.html'.length));

test('the pages cover at least 15 languages', () => {
  const languages = new Set(names.map((name) => readExpectation(name).language.split('-')[0]));
  assert.ok(names.length >= 40, `${names.length} pages`);
  assert.ok(languages.size >= 15, [...languages].join(' '));
});

for (const name of names) {
  test(`languages/${name}.html gives all fields and the text exactly`, () => {
    const { url, ...expected } = readExpectation(name);
    const page = extract(readFileSync(join(FOLDER, `${name}.html`), 'utf8'), { url });
    assert.deepEqual(
      {
        title: page.title,
        author: page.author,
        publish_time: page.publishTime,
        language: page.language,
        description: page.description,
        main_text: page.mainText,
      },
      expected,
    );
  });
}

function readExpectation(name: string): Expectation {
  const expectation: Expectation = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8'));
  return expectation;
}
