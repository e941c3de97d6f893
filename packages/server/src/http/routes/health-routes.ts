import type { API_OPERATIONS, IndexResponse, ReadyResponse } from '@winnow/contract';
import { failLate, within } from '../../domain/shared/within.ts';
import type { Handlers } from './add-operations.ts';
import { reuseReading } from '../answers/static-answer.ts';

/** Returns a detail for the response, or rejects. */
type ReadinessCheck = () => Promise<string>;

export type ReadinessChecks = Readonly<Record<string, ReadinessCheck>>;

const CHECK_TIMEOUT_MS = 10_000;

/** Answers are cached for this time. */
const REUSE_MS = 1000;

export interface IndexOptions {
  readonly version: string;
  /** Path of the public address, for example `/winnow`; empty at the root. */
  readonly basePath: string;
  /** Redirect target of `GET /` for browsers. */
  readonly consoleUrl: string;
}

/** The process responds, every part works, and where the parts are. */
export function healthHandlers(
  checks: ReadinessChecks,
  { version, basePath, consoleUrl }: IndexOptions,
): Handlers<typeof API_OPERATIONS.health> {
  const runChecks = reuseReading(() => checkAll(checks), REUSE_MS);
  const links = {
    console: consoleUrl,
    docs: `${basePath}/docs`,
    openapi: `${basePath}/openapi.json`,
    extract: `${basePath}/v1/extract`,
    health: `${basePath}/healthz`,
    ready: `${basePath}/readyz`,
  };
  return {
    // Browsers are redirected to the console.
    index: ({ request, reply }) => {
      void reply.header('Vary', 'Accept').header('Cache-Control', 'no-cache');
      if (request.headers.accept?.includes('text/html') === true) return reply.redirect(consoleUrl, 302);
      return reply.send({ request_id: request.id, name: 'winnow', version, links } satisfies IndexResponse);
    },
    healthz: ({ request }) => ({ request_id: request.id, status: 'ok' }),
    readyz: async ({ request, reply }) => {
      const results = await runChecks();
      const ready = Object.values(results).every((result) => result.ok);
      void reply.code(ready ? 200 : 503);
      return { request_id: request.id, status: ready ? 'ready' : 'not_ready', checks: results };
    },
  };
}

type Results = ReadyResponse['checks'];

export async function checkAll(checks: ReadinessChecks): Promise<Results> {
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
