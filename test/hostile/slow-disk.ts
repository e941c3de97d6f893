/**
 * Slows `fsync` and `fdatasync` in this process. Import it before the service, whose modules bind these
 * functions when they load.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

let delayMs = 0;
let waits = 0;

/** Delays each write-through from now on; 0 removes the delay. */
export function slowDown(ms: number): void {
  delayMs = ms;
}

/** Returns the number of delayed write-throughs so far. */
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
// Updates named imports too.
syncBuiltinESMExports();
