import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readConfig } from '../../packages/server/src/config/config.ts';
import { createLogger } from '../../packages/server/src/composition/process/logger.ts';
import { startService } from '../../packages/server/src/composition/main.ts';
import { readReadiness } from './read-readiness.ts';
import type { Settings } from './setting-samples.ts';

/** The service repeats a self-test that failed, such as while the machine stood still. */
const PATIENCE_MS = 180_000;

/** Starts a service with its self-test, requires that it gets ready, and stops it. */
export async function startUntilReady(settings: Settings): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-settings-'));
  const fixed = { WINNOW_PORT: '0', WINNOW_DATA_DIR: folder, WINNOW_SELF_TEST: 'true' };
  const log: string[] = [];
  const logger = createLogger('warn', { write: (line: string) => void log.push(line) });
  try {
    const service = await startService(readConfig({ ...settings, ...fixed }), logger);
    try {
      await service.warmUp();
      const end = performance.now() + PATIENCE_MS;
      let { code, body } = await readReadiness(service.url);
      while (code !== 200 && performance.now() < end) {
        await delay(1000);
        ({ code, body } = await readReadiness(service.url));
      }
      assert.equal(code, 200, `${JSON.stringify(settings)}: ${JSON.stringify(body.checks)} ${log.join('')}`);
    } finally {
      await service.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
