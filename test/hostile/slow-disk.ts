/**
 * Makes the disk slow for this process: whatever waits for it to write waits longer. To be imported before the
 * service, whose modules take the functions as they find them.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

let delayMs = 0;
let waits = 0;

/** Each write-through takes so much longer from now on; 0: as fast as it is. */
export function slowDown(ms: number): void {
  delayMs = ms;
}

/** How many writes waited so far. */
export function countWaits(): number {
  return waits;
}

for (const name of ['fsync', 'fdatasync'] as const) {
  const original = fs[name];
  fs[name] = ((descriptor: number, done: fs.NoParamCallback) => {
    if (delayMs === 0) return original(descriptor, done);
    waits += 1;
    setTimeout(() => original(descriptor, done), delayMs);
  }) as typeof original;
}
// Imports by name see it too.
syncBuiltinESMExports();
