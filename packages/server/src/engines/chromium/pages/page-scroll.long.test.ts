import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { MARK } from '../../../../../../test/site/route.ts';
import { startSharedEngines } from '../../../composition/testing/test-site-engines.ts';
import type { Capture } from '../../../domain/capture/capture-ports.ts';

const { take: capture, close } = await startSharedEngines();
after(close);

const countEntries = ({ html }: Capture): number => new Set(html.match(/<b>entry \d+/g)).size;

void test('a list without end ends by the usual limits, and is not partial', async () => {
  const page = await capture('stable', '/list?ms=100&batches=100000');
  assert.ok(['max_steps', 'out_of_time'].includes(page.scroll?.outcome ?? ''), JSON.stringify(page.scroll));
  assert.ok((page.scroll?.steps ?? 0) <= 60 && !page.partial);
  assert.ok(countEntries(page) > 16, String(countEntries(page)));
  assert.match(page.html, /<html[^<>]* data-winnow-scrolled="limit"/);
});

void test('a request limits the steps and the items, for every browser engine', async () => {
  for (const engine of ['stable', 'auto', 'chrome', 'vendor_lite'] as const) {
    const { scroll, ...page } = await capture(engine, '/list?ms=50&batches=100000', { scroll: { max_steps: 7 } });
    assert.deepEqual(scroll, { steps: 7, outcome: 'max_steps' }, engine);
    assert.ok(!page.partial, engine);
  }
  const some = await capture('stable', '/list?ms=50&batches=100000', { scroll: { max_steps: 500, max_items: 40 } });
  assert.equal(some.scroll?.outcome, 'max_items');
  assert.ok(
    (some.scroll.items ?? 0) >= 40 && countEntries(some) >= 40 && countEntries(some) < 80,
    JSON.stringify(some.scroll),
  );
  const all = await capture('stable', '/list?ms=20&batches=30', { scroll: { max_steps: 1000 } });
  assert.deepEqual([countEntries(all), all.scroll?.outcome], [240, 'end']);
});

void test('a page that polls is finished, also when it shows what it polls', async () => {
  for (const path of ['/polls', '/polls?shown']) {
    for (const engine of ['vendor_dom', 'stable'] as const) {
      const page = await capture(engine, path);
      assert.ok(page.html.includes(MARK) && !page.partial, `${engine} ${path}: ${JSON.stringify(page.timings)}`);
    }
  }
});
