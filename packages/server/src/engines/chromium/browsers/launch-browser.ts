import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { AppError } from '../../../domain/shared/errors.ts';
import { within } from '../../../domain/shared/within.ts';
import { languageList } from '../../shared/request-identity.ts';
import { BrowserFaultError } from './browser-fault.ts';
import { BROWSER_FLAGS } from './browser-flags.ts';
import { DevtoolsConnection } from '../devtools/devtools-connection.ts';
import { trustAuthorities } from './trust-authorities.ts';
import { createPipeTransport } from '../devtools/devtools-pipe.ts';

export interface LaunchOptions {
  readonly executables: readonly string[];
  readonly userAgent: string;
  readonly acceptLanguage: string;
  readonly extraArgs: readonly string[];
  /** Runs the browser without its sandbox although it would have one. */
  readonly isSandboxOff?: boolean;
  readonly withPort: boolean;
  /** Trusted besides the browser's own (PEM). */
  readonly authorities?: readonly string[];
}

export interface LaunchedBrowser {
  readonly pid: number;
  readonly connection: DevtoolsConnection;
  /** Null if not requested. */
  readonly socketUrl: string | null;
  /** Settles when the process and its profile are gone. */
  readonly exited: Promise<void>;
  /** Ends the browser and all its processes. */
  close(): Promise<void>;
}

const START_TIMEOUT_MS = 20_000;
const CLOSE_TIMEOUT_MS = 2000;

const SANDBOX_FAILURE = 'its sandbox could not start';

/** Chromium's words for user namespaces, or calls within them, that the system denies. */
const SANDBOX_WORDS = /no usable sandbox|sandbox helper|new namespace|sys_chroot|sandbox\/linux/i;

const MAX_ERRORS_LENGTH = 65_536;
const MAX_LINE_LENGTH = 200;

const FOR_BROWSERS = /^(PATH|LD_LIBRARY_PATH|TMPDIR|TZ|LANG|LANGUAGE|LC_\w+|FONTCONFIG_\w+|CHROM(E|IUM)_\w+)$/;

/** Tells own profiles from those of an earlier process, which has the same id in a container. */
const OWN_PROFILES = new Set<string>();

/** @throws {AppError} `engine_unavailable`; {@link BrowserFaultError} when it fails to start */
export async function launchBrowser(options: LaunchOptions): Promise<LaunchedBrowser> {
  const executable = findBrowser(options.executables);
  if (executable === undefined) {
    const { executables } = options;
    const reason = executables.length === 0 ? 'this deployment starts none' : `looked for ${executables.join(', ')}`;
    throw new AppError('engine_unavailable', `no Chromium found (${reason})`, { retryable: false });
  }
  // Synchronous, so that no cleanup finds it unregistered.
  const profile = mkdtempSync(join(tmpdir(), profilePrefix(process.pid)));
  OWN_PROFILES.add(basename(profile));
  const { authorities = [] } = options;
  if (authorities.length > 0) trustAuthorities(profile, authorities);
  // Without the service's environment, which contains passwords.
  const environment = Object.entries(process.env).filter(([name]) => FOR_BROWSERS.test(name));
  const child = spawn(executable, browserArgs(profile, options), {
    // A process group, so that all its processes can be killed.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    env: { ...Object.fromEntries(environment), HOME: profile },
  });
  const errors = new StartErrors(child.stderr);
  const exited = waitForExit(child, profile);
  const connection = new DevtoolsConnection(
    createPipeTransport(child.stdio[3] as Writable, child.stdio[4] as Readable),
  );
  void exited.then(() => connection.close());
  try {
    const socketUrl = options.withPort ? await withinStart(errors.findSocketUrl()) : null;
    await withinStart(connection.send('Browser.getVersion'));
    errors.stop();
    return { pid: child.pid ?? 0, connection, socketUrl, exited, close: () => close(child, connection, exited) };
  } catch (cause) {
    killGroup(child.pid);
    await exited;
    const reason = await errors.describe((cause as Error).message);
    throw new BrowserFaultError(
      new AppError('engine_unavailable', `${executable} did not start (${reason})`, { cause }),
    );
  }
}

export function findBrowser(executables: readonly string[]): string | undefined {
  return executables.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

export async function removeStaleProfiles(): Promise<void> {
  const prefix = profilePrefix('');
  const names = await readdir(tmpdir()).catch(() => []);
  const isInUse = (name: string): boolean => {
    const pid = parseInt(name.slice(prefix.length), 10);
    return pid === process.pid ? OWN_PROFILES.has(name) : isRunning(pid);
  };
  const stale = names.filter((name) => name.startsWith(prefix) && !isInUse(name));
  await Promise.all(stale.map((name) => rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {})));
}

function profilePrefix(pid: number | ''): string {
  const prefix = `winnow-chromium-${hostname()}-`;
  return pid === '' ? prefix : `${prefix}${pid}-`;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Returns why browsers run without a sandbox, or undefined. Chromium refuses to sandbox root. */
export function whyNoSandbox(isSandboxOff: boolean): string | undefined {
  if (process.getuid?.() === 0) return 'the service runs as root';
  return isSandboxOff ? 'WINNOW_CHROMIUM_SANDBOX is off' : undefined;
}

/** Returns true for a browser that ended because its sandbox could not start. */
export function isSandboxFailure(error: unknown): boolean {
  return error instanceof Error && error.message.includes(SANDBOX_FAILURE);
}

function browserArgs(profile: string, options: LaunchOptions): string[] {
  return [
    ...BROWSER_FLAGS,
    `--user-data-dir=${profile}`,
    `--user-agent=${options.userAgent}`,
    `--accept-lang=${languageList(options.acceptLanguage)}`,
    '--remote-debugging-pipe',
    ...(options.withPort ? ['--remote-debugging-port=0', '--remote-debugging-address=127.0.0.1'] : []),
    ...(whyNoSandbox(options.isSandboxOff ?? false) === undefined ? [] : ['--no-sandbox']),
    ...options.extraArgs,
    'about:blank',
  ];
}

async function waitForExit(child: ChildProcess, profile: string): Promise<void> {
  // A process that cannot start emits `error` instead of `exit`.
  await Promise.race([once(child, 'exit'), once(child, 'error')]).catch(() => {});
  killGroup(child.pid);
  await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }).catch(() => {});
  OWN_PROFILES.delete(basename(profile));
}

async function withinStart<T>(work: Promise<T>): Promise<T> {
  const result = await within(work, START_TIMEOUT_MS);
  if (result === undefined) throw new Error(`no answer within ${START_TIMEOUT_MS} ms`);
  return result;
}

async function close(child: ChildProcess, connection: DevtoolsConnection, exited: Promise<void>): Promise<void> {
  const timer = setTimeout(() => killGroup(child.pid), CLOSE_TIMEOUT_MS);
  connection.send('Browser.close').catch(() => {});
  await exited;
  clearTimeout(timer);
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {}
}

/** What a browser writes to standard error until it has started. */
class StartErrors {
  readonly #stream: Readable | null;
  readonly #closed: Promise<unknown>;
  readonly #socketUrl = Promise.withResolvers<string>();
  #text = '';

  constructor(stream: Readable | null) {
    this.#stream = stream;
    this.#closed = stream === null ? Promise.resolve() : once(stream, 'close');
    this.#socketUrl.promise.catch(() => undefined);
    stream?.setEncoding('utf8').on('data', this.#read);
    void this.#closed.then(() => this.#socketUrl.reject(new Error('it ended at once')));
  }

  findSocketUrl(): Promise<string> {
    return this.#socketUrl.promise;
  }

  /** Discards the rest: a full pipe would stop the browser. */
  stop(): void {
    this.#stream?.off('data', this.#read).resume();
    this.#text = '';
  }

  /** Adds the browser's own words to a reason. */
  async describe(reason: string): Promise<string> {
    await within(this.#closed, CLOSE_TIMEOUT_MS);
    const lines = this.#text.split('\n').filter((line) => line.trim() !== '');
    const sandbox = lines.find((line) => SANDBOX_WORDS.test(line));
    const line = (sandbox ?? lines.findLast((one) => /:(?:FATAL|ERROR):/.test(one)))?.replace(/^\[[^\]]*\] /, '');
    const words = line === undefined ? '' : `: ${line.slice(0, MAX_LINE_LENGTH)}`;
    return `${sandbox === undefined ? reason : SANDBOX_FAILURE}${words}`;
  }

  readonly #read = (chunk: string): void => {
    this.#text = (this.#text + chunk).slice(-MAX_ERRORS_LENGTH);
    const url = /DevTools listening on (ws:\/\/\S+)/.exec(this.#text)?.[1];
    if (url !== undefined) this.#socketUrl.resolve(url);
  };
}
