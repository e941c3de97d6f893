/** The other caller, in a thread: extracts a stored page at a steady pace between the messages that start and end a round. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { LightCaller } from '../light-caller.ts';

export interface ModestCallerData {
  readonly url: string;
  readonly key: string;
  readonly domId: string;
}

export interface ModestAnswer {
  readonly round: number;
  readonly latencyMs: number;
}

/** Milliseconds between an answer and the next request. */
const PAUSE_MS = 25;

const { url, key, domId } = workerData as ModestCallerData;
const caller = new LightCaller(url);
const headers = { 'Content-Type': 'application/json', 'X-API-Key': key };
const body = JSON.stringify({ extract: { dom_id: domId } });
let current = new AbortController();

async function run(round: number, { signal }: AbortController): Promise<void> {
  while (!signal.aborted) {
    const startedAt = performance.now();
    const { status } = await caller.post('/v1/extract', headers, body);
    if (status !== 200) throw new Error(`the other caller was answered with ${status}`);
    const answer = { round, latencyMs: performance.now() - startedAt } satisfies ModestAnswer;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    parentPort?.postMessage(answer);
    await sleep(PAUSE_MS);
  }
}

/** A round's number starts it, 0 ends it. */
parentPort?.on('message', (round: number) => {
  current.abort();
  current = new AbortController();
  if (round !== 0) void run(round, current);
});
