/** A clone on a read-only file system, used without a home directory. Needs the right to mount. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';

const ROOT = path.join(import.meta.dirname, '..', '..');
const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0;
const skip = canMount ? false : 'needs the right to mount';

const folder = await mkdtemp(path.join(tmpdir(), 'winnow-read-only-'));
after(() => rm(folder, { recursive: true, force: true }));
const page = path.join(folder, 'page.html');
await writeFile(page, `<title>Tides</title><main><p>${'The sea comes in twice a day. '.repeat(10)}</p></main>`);

/** Runs a command in a mount namespace where the clone is read-only. */
function run(args: readonly string[], settings: Record<string, string> = {}): { code: number; text: string } {
  const mount = `mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && cd "$1" && shift && exec ./winnow "$@"`;
  const { status, stdout, stderr } = spawnSync('unshare', ['--mount', 'sh', '-c', mount, 'sh', ROOT, ...args], {
    env: { PATH: process.env['PATH'], WINNOW_CHROMIUM: 'none', ...settings },
    encoding: 'utf8',
  });
  return { code: status ?? 1, text: stdout + stderr };
}

test('a read-only clone works without HOME if the data folder is elsewhere', { skip }, () => {
  const settings = { WINNOW_DATA_DIR: path.join(folder, 'data') };
  const extracted = run(['extract', page, '--format', 'text'], settings);
  assert.equal(extracted.code, 0, extracted.text);
  assert.match(extracted.text, /^The sea comes in twice a day\./m);
  const examined = run(['doctor'], settings);
  assert.equal(examined.code, 0, examined.text);
});

test('a read-only clone without a writable data folder names the setting to change', { skip }, () => {
  const { code, text } = run(['keys', 'list'], { WINNOW_DATA_DIR: path.join(ROOT, 'no-such-folder') });
  assert.equal(code, 1);
  assert.match(text, /^winnow: .*(?:read-only|cannot be (?:made|written)).*$/m);
  assert.match(text, /WINNOW_DATA_DIR/);
  assert.doesNotMatch(text, /^ {4}at /m);
});
