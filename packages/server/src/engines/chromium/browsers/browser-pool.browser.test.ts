/** Local browsers: replacement, recovery from kills, and the sandbox. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isBrowser, ownBrowsers, ownHelpers, readProc, until, untilNoneIsLeft } from '../../testing/own-browsers.ts';
import { startSeparateEngines } from '../../../composition/testing/test-site-engines.ts';

const { site, open, get } = await startSeparateEngines();
after(() => site.close());

// Checks: threat-browser-fault
void test('a browser starts on demand, is replaced by count, and ends when idle', async () => {
  const fetcher = open({ recycleAfterCaptures: 2, browserIdleMs: 200 });
  try {
    assert.equal(fetcher.stats().local.browsers, 0);
    for (let index = 0; index < 5; index += 1) await get(fetcher, 'vendor_dcl', '/static');
    assert.equal(fetcher.stats().local.started, 3);
    await until(() => fetcher.stats().local.browsers === 0, 'the idle browser to end');
    await untilNoneIsLeft();
    assert.ok((await fetcher.check()).every(({ ok }) => ok));
  } finally {
    await fetcher.close();
  }
});

void test('a busy browser takes captures until its replacement has started', async () => {
  // Long enough that the replacement does not end idle on a busy machine.
  const fetcher = open({ recycleAfterCaptures: 3, browserConcurrency: 2, browserIdleMs: 5000 });
  try {
    // The start of a browser may take longer than the slow capture.
    await get(fetcher, 'vendor_dcl', '/static');
    const slow = get(fetcher, 'chrome', '/hanging-image', 8000);
    await until(() => site.requests.includes('/hang'), 'the slow page');
    const [busy = 0] = ownHelpers(isBrowser);
    await get(fetcher, 'vendor_dcl', '/static');
    assert.deepEqual([fetcher.stats().local.started, fetcher.stats().local.browsers], [1, 1]);
    await get(fetcher, 'vendor_dcl', '/static');
    await until(() => fetcher.stats().local.started === 2, 'the replacement');
    await get(fetcher, 'vendor_dcl', '/static');
    // The check asks the replacement; on a slow machine the busy browser has already ended.
    const isBusy = fetcher.stats().local.browsers === 2;
    if (isBusy) process.kill(busy, 'SIGSTOP');
    assert.deepEqual(
      (await fetcher.check()).filter(({ ok }) => !ok),
      [],
    );
    if (isBusy) process.kill(busy, 'SIGCONT');
    assert.ok((await slow).partial);
    assert.equal(fetcher.stats().local.started, 2);
    await until(() => fetcher.stats().local.browsers === 0, 'idle browsers to end');
    await untilNoneIsLeft();
  } finally {
    await fetcher.close();
  }
});

// Checks: threat-browser-fault
void test('a browser is replaced by age', async () => {
  // Every capture takes longer than 1 ms.
  const fetcher = open({ recycleAfterMs: 1 });
  try {
    for (let count = 1; count <= 3; count += 1) {
      await get(fetcher, 'vendor_dcl', '/static');
      assert.equal(fetcher.stats().local.started, count);
    }
  } finally {
    await fetcher.close();
  }
  await untilNoneIsLeft();
});

/** A user that owns no files. */
const NOBODY = 65_534;

// Checks: threat-sandbox
void test('the sandbox is active unless the service runs as root', async (t) => {
  const script = fileURLToPath(new URL('../../../../../../test/crash/capture-until-killed.ts', import.meta.url));
  const isRoot = process.getuid?.() === 0;
  const identity = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const canRead = spawnSync(process.execPath, ['--check', script], identity).status === 0;
  if (!canRead) return t.skip('another user than root may not read this folder');
  const child = spawn(process.execPath, [script, site.origin], { ...identity, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    // Printed after a capture in each browser.
    const [output] = (await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])) as [unknown];
    assert.match(String(output), /running/);
    const pid = child.pid ?? 0;
    const browsers = ownHelpers((command) => command.includes('winnow-chromium-') && !command.includes('--type='), pid);
    assert.equal(browsers.length, 2);
    for (const one of browsers) assert.ok(!readProc(one, 'cmdline').split('\0').includes('--no-sandbox'));
    await until(
      () => ownHelpers((command) => command.includes('--type=renderer'), pid).some(isConfined),
      'a sandboxed renderer',
    );
    assert.ok(ownBrowsers().length > 0);
  } finally {
    child.kill('SIGKILL');
  }
  await untilNoneIsLeft();
});

/** Tests for seccomp in filter mode (proc(5)). */
function isConfined(pid: number): boolean {
  return /^Seccomp:\s+2$/m.test(readProc(pid, 'status'));
}
