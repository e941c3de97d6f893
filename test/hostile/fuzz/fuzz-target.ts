/** Processes of Winnow that the fuzzer attacks. */
import { fork, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { ProbeReading } from '../../support/loop-probe.ts';
import { startServiceProcess } from '../../support/service-process.ts';
import { startHostileSite } from './hostile-site.ts';
import type { HostileSite } from './hostile-site.ts';

/** A fault that an answer shows. */
export class Fault extends Error {}

/** Answers take seconds on a busy machine; a missing one takes forever. */
const ANSWER_TIMEOUT_MS = 90_000;

const PROBE = pathToFileURL(path.join(import.meta.dirname, '../../support/loop-probe.ts')).href;
const WINNOW = path.join(import.meta.dirname, '../../../winnow');

interface Target {
  isRunning(): boolean;
  /** Returns how the process ended, which it has. */
  readEnd(): Promise<string>;
  readProbe(): Promise<ProbeReading>;
  /** Returns and forgets the errors that it logged. */
  takeErrors(): readonly string[];
  close(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface CallOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A running service, a key for it, and a site that it fetches from. */
export interface ServiceTarget extends Target {
  readonly kind: 'service';
  readonly url: string;
  readonly key: string;
  readonly site: HostileSite;
  /** Headers of a signed-in administrator. */
  readonly session: Readonly<Record<string, string>>;
  /**
   * Sends a body (strings and buffers unchanged) and reads the answer.
   * @throws {Fault} if there is no answer, or it is not what a client may get
   */
  call(target: string, body: unknown, options?: CallOptions): Promise<Answer>;
}

/** `winnow mcp`, which speaks over standard input and output. */
export interface McpTarget extends Target {
  readonly kind: 'mcp';
  readonly site: HostileSite;
  /** Sends bytes and a request after them; resolves with all lines up to the answer of that request. */
  exchange(bytes: Buffer): Promise<readonly string[]>;
}

/** The command `batch`, which reads crawl archives. */
export interface ArchiveTarget extends Target {
  readonly kind: 'archives';
  /** Runs the command on an archive; returns its exit code and both outputs. */
  read(name: string, archive: Buffer): Promise<ArchiveOutcome>;
}

export interface ArchiveOutcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export type AnyTarget = ServiceTarget | McpTarget | ArchiveTarget;
export type TargetKind = AnyTarget['kind'];

/** Starts a process of a kind with an empty data folder. */
export function startTarget(kind: TargetKind): Promise<AnyTarget> {
  return STARTERS[kind]();
}

const STARTERS = { service: startService, mcp: startMcp, archives: startArchives } as const;

async function startService(): Promise<ServiceTarget> {
  const { folder, probe, environment } = await prepare();
  const site = await startHostileSite();
  const errors: string[] = [];
  const service = await startServiceProcess({
    dataDir: folder,
    environment: {
      ...environment,
      WINNOW_HOST_CONCURRENCY: '32',
      WINNOW_RESPECT_ROBOTS: 'true',
      WINNOW_FETCH_TIMEOUT: '10s',
    },
    onLine: (line) => errors.push(line),
  });
  const { url, key = '' } = service;
  return {
    kind: 'service',
    url,
    key,
    site,
    session: await signUp(url, service.setupUrl ?? ''),
    isRunning: () => service.isRunning(),
    readEnd: async () => nameEnd(await service.stop(), null),
    readProbe: () => readProbe(probe),
    takeErrors: () => errors.splice(0),
    call: (target, body, options) => callService(url + target, { 'X-API-Key': key }, body, options),
    close: async () => {
      if (service.isRunning()) await service.stop();
      await site.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function signUp(url: string, setupUrl: string): Promise<Record<string, string>> {
  const account = { token: setupUrl.split('#')[1], email: 'admin@example.com', password: 'a horse that staples' };
  const response = await fetch(`${url}/admin/v1/links/accept`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(account),
  });
  const { csrf_token: csrf } = (await response.json()) as { csrf_token: string };
  return { Cookie: response.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '', 'X-CSRF-Token': csrf };
}

async function callService(
  url: string,
  key: Readonly<Record<string, string>>,
  body: unknown,
  { method, headers }: CallOptions = {},
): Promise<Answer> {
  const isRaw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body);
  const content = isRaw ? body : JSON.stringify(body);
  let response: Response;
  let answer: string;
  try {
    response = await fetch(url, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...key, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      ...(content === undefined ? {} : { body: content as BodyInit }),
    });
    answer = await response.text();
  } catch (error) {
    throw new Fault(`no answer: ${describe(error)}`, { cause: error });
  }
  checkText(answer);
  if (response.status === 500 && !KNOWN_CODE.test(answer)) throw new Fault(`status 500: ${answer.slice(0, 400)}`);
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('application/json')) parseAnswer(answer);
  return { status: response.status, text: answer };
}

const INTERNAL = /"code":\s*"internal"|"code":\s*-32603\b/;

/** Interfaces of other services answer 500 for a page that cannot be fetched. */
const KNOWN_CODE = /"code":"[a-z_]+"/;

/**
 * Checks a text of the service for an internal error, whether as an answer, an item of a batch or a message.
 * @throws {Fault}
 */
export function checkText(answer: string): void {
  const { index } = INTERNAL.exec(answer) ?? {};
  if (index !== undefined) throw new Fault(`internal error: ${answer.slice(Math.max(0, index - 200), index + 400)}`);
}

/** @throws {Fault} if an answer is not JSON */
export function parseAnswer(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    throw new Fault(`not JSON: ${answer.slice(0, 400)}`);
  }
}

async function startMcp(): Promise<McpTarget> {
  const { folder, probe, environment } = await prepare();
  const site = await startHostileSite();
  const child = spawn(WINNOW, ['mcp'], { cwd: folder, stdio: ['pipe', 'pipe', 'pipe'], env: environment });
  const errors = collectErrors(child.stderr);
  const ended = findEnd(child);
  let lines: string[] = [];
  let waiting: { readonly mark: string; readonly done: (lines: readonly string[]) => void } | undefined;
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    if (waiting === undefined || !line.includes(waiting.mark)) return;
    waiting.done(lines);
    waiting = undefined;
    lines = [];
  });
  child.stdin.on('error', () => undefined);
  const send = (message: object): void =>
    void child.stdin.write(`\n${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } };
  let count = 0;
  const exchange = async (bytes: Buffer): Promise<readonly string[]> => {
    const mark = `mark-${(count += 1)}`;
    const answered = new Promise<readonly string[]>((done) => (waiting = { mark, done }));
    child.stdin.write(bytes);
    send({ id: mark, method: 'ping' });
    return answerOrFault(answered, ended);
  };
  send({ id: 'init', method: 'initialize', params: initialize });
  send({ method: 'notifications/initialized' });
  await exchange(Buffer.alloc(0));
  return {
    kind: 'mcp',
    site,
    exchange,
    ...watch(child, probe, errors),
    close: async () => {
      await end(child);
      await site.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startArchives(): Promise<ArchiveTarget> {
  const { folder, probe, environment } = await prepare();
  const child = fork(path.join(import.meta.dirname, 'run-archives.ts'), ['batch'], {
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    env: environment,
  });
  const errors = collectErrors(child.stderr);
  const ended = findEnd(child);
  await once(child, 'message');
  return {
    kind: 'archives',
    read: async (name, archive) => {
      const input = path.join(folder, name);
      await writeFile(input, archive);
      const answered = new Promise<ArchiveOutcome>((done) => void child.once('message', done));
      child.send(input);
      return await answerOrFault(answered, ended);
    },
    ...watch(child, probe, errors),
    close: async () => {
      await end(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function prepare(): Promise<{ folder: string; probe: string; environment: Record<string, string> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-fuzz-'));
  const dataDir = path.join(folder, 'data');
  await mkdir(dataDir);
  const probe = path.join(folder, 'probe');
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    NODE_OPTIONS: `--expose-gc --import=${PROBE}`,
    LOOP_PROBE: probe,
    WINNOW_DATA_DIR: dataDir,
    WINNOW_EGRESS_ALLOW: '127.0.0.1',
    WINNOW_LOG_LEVEL: 'error',
    WINNOW_WORKER_THREADS: '2',
  };
  return { folder, probe, environment };
}

function watch(child: ChildProcess, probe: string, errors: string[]): Omit<Target, 'close'> {
  return {
    isRunning: () => child.exitCode === null && child.signalCode === null,
    readEnd: async () => nameEnd(child.exitCode, child.signalCode),
    readProbe: () => readProbe(probe),
    takeErrors: () => errors.splice(0),
  };
}

async function readProbe(probe: string): Promise<ProbeReading> {
  return JSON.parse(await text(connect(probe))) as ProbeReading;
}

/** A refused message is a sentence on standard error; an error of the program has a stack. */
function collectErrors(stream: NodeJS.ReadableStream | null): string[] {
  const errors: string[] = [];
  let last = '';
  if (stream !== null)
    createInterface({ input: stream }).on('line', (line) => {
      if (/^ {4}at .*:\d/.test(line)) errors.push(`${last} ${line.trim()}`);
      else last = line;
    });
  return errors;
}

async function findEnd(child: ChildProcess): Promise<Fault> {
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return new Fault(`the process ended with ${nameEnd(code, signal)}`);
}

function nameEnd(code: number | null, signal: NodeJS.Signals | null): string {
  return code === null ? (signal ?? 'a signal') : `code ${code}`;
}

/** @throws {Fault} if the process ends first, or the answer does not come */
async function answerOrFault<T>(answered: Promise<T>, ended: Promise<Fault>): Promise<T> {
  const stop = new AbortController();
  const late = sleep(ANSWER_TIMEOUT_MS, new Fault('no answer'), { signal: stop.signal, ref: false });
  late.catch(() => undefined);
  try {
    const first = await Promise.race([answered, ended, late]);
    if (first instanceof Fault) throw first;
    return first;
  } finally {
    stop.abort();
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

export function describe(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
