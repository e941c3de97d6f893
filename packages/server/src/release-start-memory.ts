import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Gives back what the start took: loading the modules, and the self-test. Everything that is made at the start survives, so the heap's
 * young generation grows to its largest, and would keep that for as long as nothing is asked of the service:
 * some 60 MB. This collection shrinks it; it takes a few dozen milliseconds, once.
 */
export function releaseStartMemory(): void {
  // `gc` exists only where it was asked for; the flag holds for contexts made after it.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NodeJS.GCFunction;
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
