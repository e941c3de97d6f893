/** Contract of quota counters: within one process, and for two nodes on one PostgreSQL database. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client } from 'pg';
import { MemoryQuotaCounter, SharedQuotaCounter } from '../../domain/admission/quotas.ts';
import type { QuotaCounter, QuotaReading } from '../../domain/admission/quotas.ts';
import { TestNodes } from '../testing/test-nodes.ts';

interface Kind {
  readonly name: string;
  readonly skip: string | false;
  /** Starts the counters of two nodes of one deployment. */
  start(): Promise<readonly [QuotaCounter, QuotaCounter]>;
}

const nodes = new TestNodes();
const memory = new MemoryQuotaCounter();
const KINDS: readonly Kind[] = [
  { name: 'one process', skip: false, start: async () => [memory, memory] },
  {
    name: 'two nodes on PostgreSQL',
    skip: nodes.skip,
    start: async () => {
      const [one, other] = await nodes.start();
      return [new SharedQuotaCounter(one.quotas), new SharedQuotaCounter(other.quotas)];
    },
  },
];
after(() => nodes.stop());

let keys = 0;

/** Returns a key whose window lasts for the whole test, and its request count. */
async function freshKey(counter: QuotaCounter, limit: number): Promise<{ key: string; taken: number }> {
  for (;;) {
    keys += 1;
    const key = `key_${keys}`;
    const { resetMs } = await counter.take(key, limit);
    if (resetMs > 30_000) return { key, taken: 1 };
  }
}

for (const kind of KINDS) {
  describe(`quotas of ${kind.name}`, { skip: kind.skip }, () => {
    let one: QuotaCounter;
    let other: QuotaCounter;
    before(async () => {
      [one, other] = await kind.start();
    });

    const takeFromBoth = (key: string, limit: number, count: number): Promise<QuotaReading[]> =>
      Promise.all(Array.from({ length: count }, (_, index) => (index % 2 === 0 ? one : other).take(key, limit)));

    for (const limit of [7, 500, 40_000]) {
      test(`exactly ${limit} requests are granted however they are spread over nodes`, async () => {
        const { key, taken } = await freshKey(one, limit);
        const readings = await takeFromBoth(key, limit, limit + 25);
        assert.equal(readings.filter(({ allowed }) => allowed).length + taken, limit);
        for (const node of [one, other]) {
          const { allowed, remaining, resetMs } = await node.take(key, limit);
          assert.deepEqual([allowed, remaining], [false, 0]);
          assert.ok(resetMs > 0 && resetMs <= 60_000);
        }
      });
    }

    test('the remaining quota is shared by all nodes', async () => {
      const { key } = await freshKey(one, 10);
      const left: number[] = [];
      for (const node of [other, one, other, one]) left.push((await node.take(key, 10)).remaining);
      assert.deepEqual(left, [8, 7, 6, 5]);
      const burst = await takeFromBoth(key, 10, 5);
      assert.deepEqual(
        burst.map(({ remaining }) => remaining).toSorted((a, b) => b - a),
        [4, 3, 2, 1, 0],
      );
    });

    test('keys are independent, and an exhausted key is exhausted on all nodes', async () => {
      const { key } = await freshKey(one, 1);
      assert.equal((await other.take(key, 1)).allowed, false);
      const { key: second } = await freshKey(other, 2);
      assert.equal((await one.take(second, 2)).allowed, true);
    });
  });
}

test('on PostgreSQL the next window has the full quota, and no window grants more', { skip: nodes.skip }, async () => {
  const [one, other] = await nodes.start();
  const counter = new SharedQuotaCounter(one.quotas);
  const { key } = await freshKey(counter, 3);
  assert.deepEqual((await other.quotas.take(key, 3, 5)).granted, 2);
  const database = new Client({ connectionString: nodes.databaseUrl });
  await database.connect();
  try {
    // Shifts the rows to the previous minute, then to the next minute.
    await database.query('update key_quotas set period = period - 1 where key_id = $1', [key]);
    assert.equal((await other.quotas.take(key, 3, 5)).granted, 3);
    await database.query('update key_quotas set period = period + 1 where key_id = $1', [key]);
    assert.equal((await one.quotas.take(key, 3, 5)).granted, 0, 'a late statement does not reopen a window');
    assert.equal((await one.quotas.take(key, 4, 5)).granted, 1, 'a raised quota grants the difference');
    const count = async (): Promise<number> =>
      (await database.query('select from key_quotas where key_id = $1', [key])).rows.length;
    await nodes.tidy();
    assert.equal(await count(), 1);
    await database.query('update key_quotas set period = period - 1000 where key_id = $1', [key]);
    await nodes.tidy();
    assert.equal(await count(), 0, 'rows of unused keys are removed');
  } finally {
    await database.end();
  }
});
