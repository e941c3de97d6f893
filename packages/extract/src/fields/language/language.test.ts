import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normalizeTag } from './language.ts';
import { readPageFields } from '../read-fields.test-helper.ts';

const ENGLISH =
  'The council said on Monday that the new line will open next year and that it is going to carry more people than the old one.';
const JAPANESE =
  '市議会は月曜日、新しい路線が来年開業し、これまでの路線よりも多くの乗客を運ぶことになると発表しました。工事は順調に進んでいます。';
const GERMAN =
  'Der Stadtrat hat am Montag erklärt, dass die neue Linie im nächsten Jahr öffnet und mehr Menschen befördern wird als die alte.';
const CHINESE =
  '市议会周一表示，新线路将于明年开通，运送的乘客将比旧线路更多。工程进展顺利，预计春季完工，许多市民表示非常期待。';
const UKRAINIAN =
  'Міська рада повідомила в понеділок, що нова лінія відкриється наступного року і перевозитиме більше людей, ніж стара.';
const DANISH =
  'Byrådet oplyste mandag, at den nye linje åbner næste år, og at den kommer til at transportere flere mennesker end den gamle.';

/** Case, declarations, text, expected language. */
const LANGUAGES: readonly (readonly [string, string, string, string | null])[] = [
  ['declared and confirmed', '<html lang="en-GB">', ENGLISH, 'en-GB'],
  ['declared, without text', '<html lang="pt-br">', '', 'pt-BR'],
  ['a locale with an underscore', '<meta property="og:locale" content="en_US">', ENGLISH, 'en-US'],
  ['a declaration that the script refutes', '<html lang="en">', JAPANESE, 'ja'],
  ['a declaration that the words refute', '<html lang="en-US">', GERMAN, 'de'],
  ['two declarations, one of them right', '<html lang="en"><meta property="og:locale" content="de_AT">', GERMAN, 'de-AT'],
  ['undeclared Chinese', '<html>', CHINESE, 'zh'],
  ['declared with a script subtag', '<html lang="zh-Hant-TW">', CHINESE, 'zh-Hant-TW'],
  ['undeclared Ukrainian', '<html>', UKRAINIAN, 'uk'],
  ['undeclared Danish', '<html>', DANISH, 'da'],
  ['declared Norwegian, Danish text', '<html lang="nb">', DANISH, 'nb'],
  ['an invalid declaration', '<html lang="{{lang}}">', ENGLISH, 'en'],
  ['no declaration and no text', '<html>', '', null],
]; // prettier-ignore

for (const [name, html, text, expected] of LANGUAGES) {
  test(`language: ${name}`, () => {
    assert.equal(readPageFields(html, undefined, text).language, expected);
  });
}

test('language tags are normalised to BCP 47', () => {
  const tags = ['EN', 'en_us', 'zh-hans-cn', 'sr-latn', 'de-DE, en', 'english', 'x-default', '', 'a-'.repeat(50_000)];
  assert.deepEqual(tags.map(normalizeTag), ['en', 'en-US', 'zh-Hans-CN', 'sr-Latn', 'de-DE', null, null, null, null]);
});
