import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extract } from '../../pipeline/extract.ts';
import { repairEncoding } from './repair-encoding.ts';

/** Decodes the UTF-8 bytes of a text as ISO-8859-1. */
function misdecode(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

test('UTF-8 decoded as ISO-8859-1 is repaired in every script', () => {
  for (const text of [
    'it’s',
    'über’s Größte',
    'Ελλάδα',
    'Русский',
    'עברית',
    '日本語',
    '사용하기',
    '⭐⭐ 𝕏',
    'ภาษาไทย',
  ]) {
    assert.equal(repairEncoding(misdecode(text)), text);
  }
});

test('UTF-8 decoded as windows-1252 is repaired', () => {
  assert.equal(
    repairEncoding('the â€œnextâ€\u009d time youâ€™re in Ã‰vry â€” 5 â‚¬'),
    'the “next” time you’re in Évry — 5 €',
  );
});

test('correct text beside broken text is unchanged', () => {
  assert.equal(repairEncoding('L’été à Évry, « NESCAFÉ® »: câ\u0080\u0099est'), 'L’été à Évry, « NESCAFÉ® »: c’est');
  assert.equal(repairEncoding('il était né\u00a0» – itâ\u0080\u0099s'), 'il était né\u00a0» – it’s');
});

test('text without clear evidence is returned as the same string', () => {
  for (const text of [
    'plain',
    'MANHÃ\u00a0e NESCAFÉ®',
    'CAFÉ”',
    'été\u00a0»',
    'a\u0092b Ò»Ð¡ÖªÊ¶',
    '文字化け',
    'â â',
  ]) {
    assert.equal(repairEncoding(text), text);
  }
});

test('a page in another encoding is unchanged', () => {
  const text = 'caf\u0085 \u0093quoted\u0094 \u0096 JOS\u00c9\u0092s';
  assert.equal(repairEncoding(text), text);
});

test('bytes that UTF-8 does not allow are unchanged', () => {
  const invalid = 'à\u0080\u0080 í\u00a0\u0080 ô\u00bf\u0080\u0080';
  assert.equal(repairEncoding(`â\u0080\u0099 ${invalid}`), `’ ${invalid}`);
});

test('title, author and text of a wrongly decoded page are repaired', () => {
  const body =
    '<p>Itâ\u0080\u0099s the longest night of the year, and nobody in the village sleeps before it is over.</p>';
  const page = extract(
    `<title>The nightâ\u0080\u0099s end</title><meta name=author content="ZoÃ« BrontÃ«"><article><h1>The nightâ\u0080\u0099s end</h1>${body.repeat(4)}</article>`,
  );
  assert.equal(page.title, 'The night’s end');
  assert.equal(page.author, 'Zoë Brontë');
  assert.match(page.mainText, /^It’s the longest night/);
});

test('takes linear time on long runs', () => {
  const run = 'â\u0080\u0099'.repeat(200_000);
  assert.equal(repairEncoding(run), '’'.repeat(200_000));
  const halves = `â\u0080\u0099${'â\u0080x'.repeat(200_000)}`;
  assert.equal(repairEncoding(halves), halves);
});
