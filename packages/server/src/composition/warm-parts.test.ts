import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { test } from 'node:test';
import { createLogger } from './process/logger.ts';
import { warmParts } from './warm-parts.ts';
import type { WarmableParts } from './warm-parts.ts';

test('a part continues after the start has stopped waiting for it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const held = Promise.withResolvers<never>();
  const budgetsMs: number[] = [];
  const parts = {
    extractor: {
      extract: (_input: unknown, { timeoutMs }: { timeoutMs: number }) => {
        budgetsMs.push(timeoutMs);
        return held.promise;
      },
    },
    content: { get: () => Promise.resolve(undefined) },
    fetcher: { warmUp: () => Promise.resolve() },
    logger: createLogger('silent'),
  } as unknown as WarmableParts;
  const warm = warmParts(parts).then(() => true);
  let waitedMs = 0;
  for (; !(await Promise.race([warm, nextTurn(false)])); waitedMs += 1000) t.mock.timers.tick(1000);
  const [budgetMs = 0] = budgetsMs;
  assert.ok(budgetMs > 2 * waitedMs, `the thread has ${budgetMs} ms, the start waits ${waitedMs} ms`);
});
