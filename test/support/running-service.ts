/** A whole service on a free port, with its own data folder and pages to fetch. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DumpResponse, ErrorResponse, ExtractResponse, Stage, TraceStep } from '@winnow/contract';
import { readConfig } from '../../packages/server/src/config/config.ts';
import { hashKey, makeKey } from '../../packages/server/src/domain/keys/authenticate.ts';
import type { ApiKey, KeyKind } from '../../packages/server/src/domain/keys/key-ports.ts';
import { createLogger } from '../../packages/server/src/composition/process/logger.ts';
import { startService } from '../../packages/server/src/composition/main.ts';
import type { Service } from '../../packages/server/src/composition/main.ts';
import { openStore } from '../../packages/server/src/store/open-store.ts';
import type { Store } from '../../packages/server/src/store/open-store.ts';
import { serveTestPages } from './test-pages.ts';
import type { TestPages } from './test-pages.ts';

/** All fields of any answer; a test reads those that it expects. */
export type Body = Whole<Omit<ExtractResponse, 'result'>> & {
  readonly result: Whole<ExtractResponse['result']>;
} & DumpResponse &
  Whole<ErrorResponse>;

type Whole<T> = { readonly [Name in keyof T]-?: Exclude<T[Name], undefined> };

/** Returns the step of a stage in an answer's trace. */
export function findStep<S extends Stage>(body: Body, stage: S): Extract<TraceStep, { stage: S }> {
  const step = body.trace.find((one): one is Extract<TraceStep, { stage: S }> => one.stage === stage);
  assert.ok(step, `no step of stage ${stage}`);
  return step;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

interface CallOptions {
  /** Kind of credentials to send: A with a project key, B with a standalone key. Default B. */
  readonly as?: 'A' | 'B' | 'none';
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
}

export interface Running {
  readonly service: Service;
  readonly url: string;
  readonly pages: TestPages;
  /** The service's data folder. */
  readonly folder: string;
  readonly projectId: string;
  readonly secrets: Readonly<Record<KeyKind, string>>;
  /** A second connection to the service's database. */
  readonly store: Store;
  /** Every line that the service logged. */
  readonly log: readonly string[];
  /** Sends a JSON body (a string unchanged) and reads the JSON answer. */
  call(path: string, body: unknown, options?: CallOptions): Promise<Answer>;
  addKey(fields: Partial<ApiKey> & Pick<ApiKey, 'projectId' | 'kind'>): Promise<string>;
  close(): Promise<void>;
}

export async function startRunning(environment: Readonly<Record<string, string>> = {}): Promise<Running> {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-interface-'));
  const pages = await serveTestPages();
  const log: string[] = [];
  const config = readConfig({
    WINNOW_PORT: '0',
    WINNOW_DATA_DIR: folder,
    WINNOW_EGRESS_ALLOW: '127.0.0.1',
    WINNOW_WORKER_THREADS: '1',
    WINNOW_SELF_TEST: 'false',
    WINNOW_KEEP_WARM: '0s',
    // The start of a browser takes long on a busy machine.
    WINNOW_FETCH_TIMEOUT: '60s',
    WINNOW_DUMP_TIMEOUT: '60s',
    WINNOW_STAGE_TIMEOUT: '60s',
    ...environment,
  });
  const logger = createLogger('debug', { write: (line: string) => void log.push(line) });
  const service = await startService(config, logger);
  service.warn();
  const store = await openStore({ location: { sqliteFile: path.join(folder, 'winnow.db') }, onError: () => undefined });
  const { projectId, secrets } = service.firstStart ?? { projectId: '', secrets: { project: '', key_only: '' } };
  return {
    service,
    url: service.url,
    pages,
    folder,
    projectId,
    secrets,
    store,
    log,
    call: (target, body, options = {}) => call(service.url, { projectId, secrets }, target, body, options),
    async addKey(fields) {
      const made = makeKey({ name: 'test', ...fields });
      await store.keys.insert({ ...made.key, ...fields }, hashKey(made.secret));
      return made.secret;
    },
    async close() {
      await service.close();
      await store.close();
      await pages.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function call(
  url: string,
  credentials: Pick<Running, 'projectId' | 'secrets'>,
  target: string,
  body: unknown,
  options: CallOptions,
): Promise<Answer> {
  const response = await fetch(url + target, {
    method: options.method ?? 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...credentialHeaders(credentials, options.as ?? 'B'),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: JSON.parse(text) as Body };
}

function credentialHeaders(
  { projectId, secrets }: Pick<Running, 'projectId' | 'secrets'>,
  as: 'A' | 'B' | 'none',
): Record<string, string> {
  if (as === 'none') return {};
  return as === 'A' ? { 'X-API-Key': secrets.project, 'X-Project-Id': projectId } : { 'X-API-Key': secrets.key_only };
}
