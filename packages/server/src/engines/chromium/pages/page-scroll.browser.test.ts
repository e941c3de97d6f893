import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startSharedEngines } from '../../../composition/testing/test-site-engines.ts';
import type { Capture } from '../../../domain/capture/capture-ports.ts';

const { take: capture, close } = await startSharedEngines();
after(close);

const countEntries = ({ html }: Capture): number => new Set(html.match(/<b>entry \d+/g)).size;

for (const path of [
  '/list?on=scroll&ms=20',
  '/list?on=scroll&ms=400',
  '/list?on=seen&ms=400',
  '/list?on=later&ms=100&batches=3',
  '/list?on=scroll&ms=200&box=inner',
  '/list?on=seen&ms=200&box=nested',
]) {
  void test(`stable reads the whole list of ${path}`, async () => {
    const page = await capture('stable', path);
    const batches = Number(/batches=(\d+)/.exec(path)?.[1] ?? 5);
    assert.deepEqual([countEntries(page), page.partial, page.scroll?.outcome], [8 * batches, false, 'end']);
    assert.match(page.html, /<html[^<>]* data-winnow-scrolled="end"/);
  });
}

const listRows = ({ html }: Capture): string[] => (html.match(/<b>row \d+/g) ?? []).map((row) => row.slice(7));

for (const path of ['/virtual-list', '/virtual-list?inner']) {
  void test(`rows that ${path} has only in sight are all in the snapshot, once and in order`, async () => {
    const page = await capture('stable', path);
    assert.deepEqual(
      listRows(page),
      Array.from({ length: 120 }, (_, n) => String(n)),
    );
    assert.ok((page.scroll?.restored_rows ?? 0) >= 80, JSON.stringify(page.scroll));
  });
}

void test('rows that change all the time are not in the snapshot twice', async () => {
  const rows = listRows(await capture('stable', '/virtual-list?ticks'));
  assert.equal(new Set(rows).size, rows.length, rows.join(' '));
});

void test('engines that do not scroll have nothing to report', async () => {
  const { scroll, html } = await capture('vendor_dom', '/list');
  assert.equal(scroll, undefined);
  assert.ok(!html.includes('data-winnow-scrolled'));
});
