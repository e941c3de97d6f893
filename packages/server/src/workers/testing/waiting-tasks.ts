/** Tasks that load once the file exists that the `file` in the address of this module names. */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const file = new URL(import.meta.url).searchParams.get('file') ?? '';
while (!existsSync(file)) await sleep(10);

export * from './hostile-tasks.ts';
