import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { readRegularFile } from './regular-file.ts';

// Checks: threat-command-files
test('only regular files within their limit are read, and the error names anything else', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-files-'));
  t.after(() => rm(folder, { recursive: true }));
  const place = (name: string): string => path.join(folder, name);
  const server = createServer().listen(place('socket'));
  await once(server, 'listening');
  t.after(() => server.close());
  execFileSync('mkfifo', [place('pipe')]);
  await writeFile(place('text'), 'hello');
  await symlink(place('text'), place('link'));
  await symlink(place('pipe'), place('link-to-pipe'));

  assert.equal(readRegularFile(place('text'), 5).toString(), 'hello');
  // Secrets that an orchestrator mounts are links.
  assert.equal(readRegularFile(place('link'), 5).toString(), 'hello');
  for (const [file, reason] of [
    [place('pipe'), /pipe is a named pipe$/],
    [place('link-to-pipe'), /link-to-pipe is a named pipe$/],
    [place('socket'), /socket is a socket$/],
    [folder, /is a folder$/],
    [place('none'), /^no such file: .*none$/],
    ['/dev/zero', /^\/dev\/zero is a device$/],
    ...(process.platform === 'linux' ? [['/proc/self/environ', /is a file of the kernel/] as const] : []),
  ] as const) {
    assert.throws(() => readRegularFile(file, 1000), { name: 'UnreadableFileError', message: reason });
  }
  assert.throws(() => readRegularFile(place('text'), 4, 'WINNOW_X'), /text is larger than 4 bytes \(WINNOW_X\)$/);
});
