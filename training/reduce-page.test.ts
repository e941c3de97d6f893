import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reducePage } from './reduce-page.ts';

const sentence = (n: number): string =>
  `The ferry number ${n} crosses the sound in the morning and comes back at night.`;
const TRUTH = Array.from({ length: 60 }, (_, n) => sentence(n)).join(' ');
const CONTENT = Array.from({ length: 60 }, (_, n) => `<p>${sentence(n)}</p>`).join('');
const PAGE = `<html><head><title>Ferries</title><meta name="author" content="Ada"></head><body>
  <nav>Home and news</nav><div class="outer"><aside>Other stories of the day</aside><div class="inner">${CONTENT}</div></div>
  <footer>Printed in the harbour</footer></body></html>`;
const SEEDS = Array.from({ length: 40 }, (_, n) => `page ${n}`);

test('a small copy has the beginning of the content and at most two small parts around it', () => {
  const copies = SEEDS.map((seed) => reducePage(PAGE, TRUTH, seed) ?? '');
  for (const copy of copies) {
    assert.ok(copy.includes(sentence(0)) && copy.includes('<title>Ferries</title>'));
    const around = ['Home and news', 'Other stories', 'Printed in'].filter((text) => copy.includes(text));
    assert.ok(around.length <= 2, copy);
  }
  for (const text of [sentence(59), 'Home and news', 'Printed in', 'name="author"', 'class="outer"']) {
    const share = copies.filter((copy) => copy.includes(text)).length / copies.length;
    assert.ok(share > 0.05 && share < 0.9, `${text}: ${share}`);
  }
  assert.deepEqual(
    SEEDS.map((seed) => reducePage(PAGE, TRUTH, seed)),
    copies,
    'the same copy for the same seed',
  );
});

test('a page that does not show its true text gets no copy', () => {
  assert.equal(
    reducePage(PAGE, 'Something else that is long enough to be found on no page of the web.', 'a'),
    undefined,
  );
});
