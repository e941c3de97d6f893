import { Piscina } from 'piscina';
import { runOnBehalf } from '../domain/admission/current-tenant.ts';
import type { Tenant } from '../domain/admission/fair-queue.ts';
import { AppError } from '../domain/shared/errors.ts';
import type { ParsedBody } from './parse-body.ts';
import { WorkerPool } from './worker-pool.ts';

const MIB = 1024 * 1024;

/** Heap of the thread: a body within the structural limits needs a few times its size. */
const MEMORY_BYTES = 768 * MIB;

/** Maximum queue; the limit on bytes of request bodies usually ends it earlier. */
const MAX_WAITING = 200;

/** The largest body takes about 0.3 s. */
const TIMEOUT_MS = 20_000;

/** Parses large request bodies in one thread, fairly among tenants, which keeps the event loop free. */
export class BodyParserThread {
  readonly #pool: WorkerPool;

  constructor() {
    this.#pool = new WorkerPool({
      threads: 1,
      memoryBytes: MEMORY_BYTES,
      maxQueue: MAX_WAITING,
      name: 'the parser of large bodies',
      module: new URL('./parse-body.ts', import.meta.url),
    });
  }

  /**
   * @param body its memory is transferred to the thread
   * @throws {AppError} `invalid_request`, naming the fault; `payload_too_large` for too much memory; `overloaded`
   */
  async parse(body: Buffer, tenant: Tenant): Promise<unknown> {
    const budget = { timeoutMs: TIMEOUT_MS, signal: new AbortController().signal };
    const moved = Piscina.move(body);
    const parsed = await runOnBehalf(tenant, () => this.#pool.run<ParsedBody>('parseBody', moved, 'request', budget));
    if (parsed.refusal !== undefined) throw new AppError('invalid_request', parsed.refusal);
    return parsed.value;
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }
}
