import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { CheckReport } from './check.ts';
import type { Config } from '../../config/config.ts';
import type { Logger } from '../../domain/shared/ports.ts';

/** The trial of every engine that the service makes once, when it has started. */
export interface SelfTest {
  /** Says that all engines work; rejects naming those that do not. Waits for the trial to end. */
  check(): Promise<string>;
  close(): Promise<void>;
}

const PROCESS = fileURLToPath(new URL('../../cli/doctor/self-test-process.ts', import.meta.url));
/** A process that is killed before it has answered says nothing about the engines. */
const MAX_TRIES = 3;
/** Milliseconds that the process has to close its engines and end. */
const END_GRACE_MS = 10_000;

/**
 * Captures and extracts the sample page through each engine, one after the other. The engines are those of
 * the doctor: of their own, and allowed nothing but the address of the page, so that the service's own egress
 * policy is never widened. They work in a process of their own: what a first page takes, of which some 20 MB stay
 * with the allocator, goes with it.
 */
export function startSelfTest(config: Config, logger: Logger): SelfTest {
  const stop = new AbortController();
  const running = examine(config, stop.signal).catch((error: unknown): CheckReport[] => [
    { name: 'self-test', ok: false, warning: false, detail: String(error), advice: null, elapsedMs: 0 },
  ]);
  void running.then((reports) => {
    if (stop.signal.aborted) return;
    for (const report of reports) if (!report.ok) logger.warn({ ...report }, 'the self-test found a fault');
    logger.info({ engines: reports.length }, 'self-test done');
  });
  return {
    check: async () => {
      const reports = await running;
      const broken = reports.filter(({ ok }) => !ok);
      if (broken.length > 0) throw new Error(broken.map(({ name, detail }) => `${name}: ${detail}`).join('; '));
      return `a page was extracted through ${reports.length} engines`;
    },
    close: async () => {
      stop.abort();
      await running;
    },
  };
}

async function examine(config: Config, signal: AbortSignal): Promise<readonly CheckReport[]> {
  for (let attempt = 1; ; attempt += 1) {
    const { reports, end } = await examineInProcess(config, signal);
    if (reports !== undefined || signal.aborted) return reports ?? [];
    if (attempt >= MAX_TRIES) throw new Error(`its process ended without an answer (${end})`);
  }
}

/** Runs the process until it has ended, whatever it did. */
async function examineInProcess(
  config: Config,
  signal: AbortSignal,
): Promise<{ readonly reports: readonly CheckReport[] | undefined; readonly end: string }> {
  // Its standard output is not the service's, which others may read as JSON.
  const child = fork(PROCESS, { execArgv: [], serialization: 'advanced', stdio: ['ignore', 2, 2, 'ipc'] });
  let reports: readonly CheckReport[] | undefined;
  child.once('message', (message) => (reports = message as readonly CheckReport[]));
  let killer: NodeJS.Timeout | undefined;
  const end = (): void => {
    if (child.connected) child.disconnect();
    killer = setTimeout(() => child.kill('SIGKILL'), END_GRACE_MS);
  };
  signal.addEventListener('abort', end, { once: true });
  try {
    // Proxies stay here: the page is on loopback, and a URL cannot be sent.
    child.send({ ...config, upstreamProxy: null, upstreamProxies: new Map() }, () => undefined);
    // Its answer may come after its end; it has come when the channel is closed.
    await Promise.all([once(child, 'exit'), once(child, 'disconnect')]);
    return { reports, end: child.signalCode ?? `code ${child.exitCode}` };
  } finally {
    signal.removeEventListener('abort', end);
    clearTimeout(killer);
  }
}
