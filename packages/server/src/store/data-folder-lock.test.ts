import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { lockDataFolder } from './data-folder-lock.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'winnow-lock-'));
});
afterEach(() => rm(folder, { recursive: true }));

test('only one process holds the lock; releasing it admits the next', async () => {
  const lock = await lockDataFolder(path.join(folder, 'data'));
  await assert.rejects(lockDataFolder(path.join(folder, 'data')), (error: Error) => {
    assert.ok(error.message.includes(`process ${process.pid}`), error.message);
    assert.ok(error.message.includes(folder), error.message);
    return true;
  });
  lock.release();
  (await lockDataFolder(path.join(folder, 'data'))).release();
});

test('a folder in use can be backed up by one process at a time', async () => {
  const serving = await lockDataFolder(folder);
  const backingUp = await lockDataFolder(folder, 'backup');
  await assert.rejects(lockDataFolder(folder, 'backup'), /already backs up or restores the data folder .*; try again/);
  backingUp.release();
  serving.release();
});

test('the error for a folder that cannot be locked names the folder', async () => {
  await mkdir(path.join(folder, 'serve.lock'));
  await assert.rejects(lockDataFolder(folder), (error: Error) => {
    assert.ok(error.message.startsWith(`cannot write to the data folder ${folder} (`), error.message);
    return true;
  });
});

// Checks: threat-two-processes
test('a lock held by another process is free once that process is killed', async () => {
  const program = `
    const { lockDataFolder } = await import(${JSON.stringify(new URL('data-folder-lock.ts', import.meta.url).href)});
    await lockDataFolder(${JSON.stringify(folder)});
    console.log('locked');
    setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  await assert.rejects(lockDataFolder(folder), new RegExp(`process ${holder.pid}`));
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  (await lockDataFolder(folder)).release();
});
