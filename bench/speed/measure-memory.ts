import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readHtml, readPage } from '../quality/benchmark-page.ts';
import type { Contender } from './contenders.ts';

const run = promisify(execFile);

/** Returns the peak memory in megabytes of a separate process that runs one contender on the pages. */
export async function measureMemory(
  main: string,
  folder: string,
  args: readonly string[],
  name: string,
): Promise<number> {
  const { stdout } = await run(process.execPath, [main, folder, ...args, '--memory-of', name]);
  return Number(stdout.trim().split('\n').at(-1));
}

/** Runs the contender in that process; returns its peak memory in megabytes. */
export async function runForMemory(folder: string, ids: readonly string[], contender: Contender): Promise<number> {
  const runner = await contender.load();
  for (const id of ids) {
    try {
      await runner.run(readHtml(folder, id), readPage(folder, id).url);
    } catch {
      // Failures are counted in the quality measurement.
    }
  }
  return process.resourceUsage().maxRSS / 1024;
}
