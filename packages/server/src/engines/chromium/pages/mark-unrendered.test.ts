import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DevtoolsError, type DevtoolsSession } from '../devtools/devtools-connection.ts';
import { readMarked } from './mark-unrendered.ts';
import { APPLY_MARKS_SCRIPT, REMOVE_MARKS_SCRIPT } from './unrendered-scripts.ts';

const session = { send: async () => ({}) } as unknown as DevtoolsSession;

/** Reads a page whose scripts are stopped during the script of this number; returns whether the result has the marks. */
async function readStoppedAt(number: number): Promise<boolean> {
  let scripts = 0;
  let isFrozen = false;
  let isMarked = false;
  const evaluate = async (script: string): Promise<unknown> => {
    scripts += 1;
    if (scripts === number) {
      isFrozen = true;
      throw new DevtoolsError('Runtime.evaluate', 'Execution was terminated');
    }
    if (script === APPLY_MARKS_SCRIPT) isMarked = true;
    if (script === REMOVE_MARKS_SCRIPT) isMarked = false;
    return true;
  };
  return readMarked({ session, evaluate, isFrozen: () => isFrozen, markWithinMs: 100 }, async () => isMarked);
}

// Checks: threat-hidden-text
test('a page whose scripts are stopped while it is read has its marks', async () => {
  for (const number of [1, 2, 3, Infinity]) assert.equal(await readStoppedAt(number), true, `script ${number}`);
});
