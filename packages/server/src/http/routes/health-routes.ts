import type { ReadyResponse } from '@winnow/contract';
import type { FastifyInstance } from 'fastify';
import { failLate, within } from '../../domain/shared/within.ts';
import { reuseReading } from '../operations/reuse-reading.ts';

/** Returns a detail for the response, or rejects. */
type ReadinessCheck = () => Promise<string>;

export type ReadinessChecks = Readonly<Record<string, ReadinessCheck>>;

const CHECK_TIMEOUT_MS = 10_000;

/** Answers are cached for this time. */
const REUSE_MS = 1000;

/** `GET /healthz`: the process responds. `GET /readyz`: every part works. */
export function addHealthRoutes(app: FastifyInstance, checks: ReadinessChecks): void {
  const runChecks = reuseReading(() => checkAll(checks), REUSE_MS);
  app.get('/healthz', (request) => ({ request_id: request.id, status: 'ok' }));
  app.get('/readyz', async (request, reply) => {
    const results = await runChecks();
    const ready = Object.values(results).every((result) => result.ok);
    const body: ReadyResponse = { request_id: request.id, status: ready ? 'ready' : 'not_ready', checks: results };
    return reply.code(ready ? 200 : 503).send(body);
  });
}

type Results = ReadyResponse['checks'];

async function checkAll(checks: ReadinessChecks): Promise<Results> {
  const entries = Object.entries(checks).map(async ([name, check]) => [name, await runCheck(check)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

async function runCheck(check: ReadinessCheck): Promise<Results[string]> {
  const started = performance.now();
  const elapsed = (): number => Math.round(performance.now() - started);
  try {
    const detail = await within(check(), CHECK_TIMEOUT_MS, failLate(CHECK_TIMEOUT_MS));
    return { ok: true, detail, elapsed_ms: elapsed() };
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : 'failed', elapsed_ms: elapsed() };
  }
}
