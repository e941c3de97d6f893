import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { runWinnow } from '../support/run-winnow.ts';
import type { Done } from '../support/run-winnow.ts';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';

export interface ServiceToBackUp {
  readonly running: Running;
  /** Runs a command line on the service's data folder. */
  readonly winnow: (...args: readonly string[]) => Promise<Done>;
  /** Stores a snapshot and returns its id. */
  readonly dump: () => Promise<string>;
  /** Returns the status of an extraction from a snapshot. */
  readonly statusOf: (domId: string) => Promise<number>;
  /** Backs up the service's data to a folder that no service uses. */
  readonly copyData: (t: TestContext) => Promise<string>;
}

/** Starts a service, with commands that back up and restore its data. */
export async function startServiceToBackUp(): Promise<ServiceToBackUp> {
  const running = await startRunning();
  const winnow: ServiceToBackUp['winnow'] = (...args) => runWinnow(running.folder, args);
  return {
    running,
    winnow,
    dump: async () => {
      const body = { url: `${running.pages.url}/article`, options: { engine_preference: 'http' } };
      const { status, body: answer } = await running.call('/v1/dom/dump', body);
      assert.equal(status, 200);
      return answer.dom_id;
    },
    statusOf: async (domId) => (await running.call('/v1/extract', { extract: { dom_id: domId } })).status,
    copyData: async (t) => {
      const dataDir = await mkdtemp(path.join(tmpdir(), 'winnow-unserved-'));
      t.after(() => rm(dataDir, { recursive: true }));
      await rm(dataDir, { recursive: true });
      const { code, err } = await winnow('backup', dataDir);
      assert.equal(code, 0, err);
      return dataDir;
    },
  };
}
