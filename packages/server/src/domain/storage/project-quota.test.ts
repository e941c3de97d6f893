import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../shared/errors.ts';
import { ProjectQuota } from './project-quota.ts';

const GIB = 2 ** 30;

/** Returns a quota of 4 GiB for a project that stores `usedBytes`, and a count of its reads. */
function createQuota(usedBytes: number) {
  const state = { usedBytes, reads: 0 };
  const quota = new ProjectQuota(
    {
      find: async (projectId) => {
        state.reads += 1;
        return { projectId, snapshots: 1, snapshotBytes: state.usedBytes, batches: 0, batchBytes: 0, logBytes: 0 };
      },
      list: async () => [],
    },
    4 * GIB,
  );
  return { quota, state };
}

describe('a storage quota', () => {
  it('reads the storage of a project with plenty of room once for a burst of requests', async () => {
    const { quota, state } = createQuota(GIB);
    for (let request = 0; request < 10; request += 1) await quota.requireRoom('prj_a');
    assert.equal(state.reads, 1);
  });

  it('reads it again for each project, and for a request of a given size', async () => {
    const { quota, state } = createQuota(GIB);
    await quota.requireRoom('prj_a');
    await quota.requireRoom('prj_b');
    await assert.rejects(quota.requireRoom('prj_a', 3 * GIB), isRefusal);
    assert.equal(state.reads, 3);
  });

  it('refuses at once when a project near the limit reaches it', async () => {
    const { quota, state } = createQuota(3.5 * GIB);
    await quota.requireRoom('prj_a');
    state.usedBytes = 4 * GIB;
    await assert.rejects(quota.requireRoom('prj_a'), isRefusal);
  });
});

function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.code === 'storage_quota_exceeded';
}
