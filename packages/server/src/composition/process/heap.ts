import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Percent by which a heap may grow over what lives in it before all of it is collected again. */
const HEAP_GROWTH = 100;

/**
 * Lets heaps grow to twice what lives in them, of this thread and of those that it starts. V8 decides by how fast the old
 * generation fills; where next to nothing outlives its request, it allows some 8 MB. The buffers of the pages that are
 * being read count too, so for them alone the whole heap was marked three times in two seconds of load, and each time code
 * that no closure held at the moment was thrown away and compiled anew. With this it is once in two seconds.
 */
export function allowHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
}

/**
 * Has V8 allocate everything among the young objects, in this thread and in those that it starts. Of what survives a few
 * young collections it takes the whole kind for long-lived, and allocates it among the old objects from then on. Here that
 * is the page that is just being worked on: in one thread of two the kinds that a page is made of were misjudged so, and
 * each page outlived its request until the next full collection, one in 1.5 seconds of load.
 */
export function keepPagesYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/**
 * Keeps the small young generation that `winnow serve` and `npm start` give the main thread from the threads that it
 * starts: the flag would go before what their pools allow them.
 */
export function leaveThreadsTheirLimits(): void {
  setFlagsFromString('--max-semi-space-size=0');
}

/**
 * Gives back what the start took to load the modules. Everything that is made at the start survives, so the heap's young
 * generation grows to its largest, and would keep that for as long as nothing is asked of the service: some 60 MB. This collection shrinks it; it takes a few dozen milliseconds, once.
 */
export function releaseStartMemory(): void {
  // `gc` exists only where it was asked for; the flag holds for contexts made after it.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NodeJS.GCFunction;
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
