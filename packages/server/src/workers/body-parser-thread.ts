import { Piscina } from 'piscina';
import { runOnBehalf } from '../domain/admission/current-party.ts';
import type { Party } from '../domain/admission/fair-queue.ts';
import { AppError } from '../domain/errors.ts';
import type { ParsedBody } from './parse-body.ts';
import { WorkerPool } from './worker-pool.ts';

const MIB = 1024 * 1024;

/** Heap of the thread. A body within the limits of its structure takes a few times its own size. */
const MEMORY_BYTES = 768 * MIB;

/** Large bodies that may wait. The bound on bytes of bodies under way leaves room for few. */
const MAX_WAITING = 200;

/** The largest body takes some 0.3 s. */
const TIMEOUT_MS = 20_000;

/** Parses large request bodies in one thread, fairly among callers, so that none of them holds the event loop. */
export class BodyParserThread {
  readonly #pool: WorkerPool;

  constructor() {
    this.#pool = new WorkerPool({
      threads: 1,
      memoryBytes: MEMORY_BYTES,
      maxQueue: MAX_WAITING,
      name: 'the reading of large bodies',
      module: new URL('./parse-body.ts', import.meta.url),
    });
  }

  /**
   * @param body its memory is moved to the thread
   * @throws {AppError} `invalid_request`, naming the fault; `payload_too_large` when it takes too much memory; `overloaded`
   */
  async parse(body: Buffer, party: Party): Promise<unknown> {
    const budget = { timeoutMs: TIMEOUT_MS, signal: new AbortController().signal };
    const moved = Piscina.move(body);
    const parsed = await runOnBehalf(party, () => this.#pool.run<ParsedBody>('parseBody', moved, 'request', budget));
    if (parsed.refusal !== undefined) throw new AppError('invalid_request', parsed.refusal);
    return parsed.value;
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }
}
