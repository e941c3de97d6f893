import { Piscina } from 'piscina';
import { runOnBehalf } from '../domain/admission/current-tenant.ts';
import type { Tenant } from '../domain/admission/fair-queue.ts';
import { AppError } from '../domain/shared/errors.ts';
import type { ParsedBody } from './parse-body.ts';
import { WorkerPool } from './worker-pool.ts';

const MIB = 1024 * 1024;

/** A body within the limits needs a few times its size. */
const MEMORY_BYTES = 768 * MIB;

const MAX_WAITING = 200;

/** The largest body takes about 0.3 s. */
const TIMEOUT_MS = 20_000;

/** Parses large bodies in one thread, fairly among tenants. */
export class BodyParserThread {
  readonly #pool: WorkerPool;

  constructor() {
    this.#pool = new WorkerPool({
      workers: 1,
      inThreads: true,
      memoryBytes: MEMORY_BYTES,
      maxQueue: MAX_WAITING,
      name: 'the parser of large bodies',
      module: new URL('./parse-body.ts', import.meta.url),
    });
  }

  /**
   * @param body its memory is transferred
   * @throws {AppError} `invalid_request`, `payload_too_large` or `overloaded`
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
