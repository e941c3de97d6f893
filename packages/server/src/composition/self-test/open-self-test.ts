import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { joinFaults, type CheckReport } from './check.ts';
import { withOnlyOwnPage, type Config } from '../../config/config.ts';
import type { Logger } from '../../domain/shared/ports.ts';

export interface SelfTest {
  /** Waits for the first trial, and judges by the latest; rejects naming the engines that fail. */
  check(): Promise<string>;
  close(): Promise<void>;
}

const PROCESS = fileURLToPath(new URL('../../cli/doctor/self-test-process.ts', import.meta.url));
/** A process killed before its report says nothing about the engines. */
const MAX_TRIES = 3;
const END_GRACE_MS = 10_000;
/** An engine that failed may only have been late, such as a browser elsewhere that starts after the service. */
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

/**
 * Captures and extracts the sample page with each engine, again and again while one fails. Uses separate engines that
 * may reach only the page, and a child process, whose memory (20 MB) is freed.
 */
export function startSelfTest(config: Config, logger: Logger): SelfTest {
  const stop = new AbortController();
  const { signal } = stop;
  const logged = new Set<string>();
  let latest = examineAndLog(config, logger, signal, logged);
  const untilAllWork = async (): Promise<void> => {
    for (let pause = FIRST_PAUSE_MS; !allWork(await latest); pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      await delay(pause, undefined, { signal, ref: false });
      const next = examineAndLog(config, logger, signal, logged);
      await next;
      latest = next;
    }
  };
  const running = untilAllWork().catch(() => undefined);
  return {
    check: async () => {
      const reports = await latest;
      const broken = joinFaults(reports).filter(({ ok }) => !ok);
      if (broken.length > 0) throw new Error(broken.map(({ name, detail }) => `${name}: ${detail}`).join('; '));
      return `a page was extracted through ${reports.length} engines`;
    },
    close: async () => {
      stop.abort();
      await running;
    },
  };
}

const allWork = (reports: readonly CheckReport[]): boolean => reports.every(({ ok }) => ok);

/** @param logged faults that were logged before: they are not logged again */
async function examineAndLog(
  config: Config,
  logger: Logger,
  signal: AbortSignal,
  logged: Set<string>,
): Promise<readonly CheckReport[]> {
  const reports = await examine(config, signal).catch((error: unknown): CheckReport[] => [
    { name: 'self-test', ok: false, warning: false, detail: String(error), advice: null, elapsedMs: 0 },
  ]);
  if (signal.aborted) return reports;
  const working = reports.filter(({ ok }) => ok).map(({ name }) => name.replace(/^engine /, ''));
  for (const { name, ok, detail, advice } of joinFaults(reports)) {
    const fault = [`${name}: ${detail}`, ...(advice === null ? [] : [advice])].join('; ');
    if (ok || logged.has(fault)) continue;
    logged.add(fault);
    logger.warn({}, `${fault}. Meanwhile these engines work: ${working.join(', ') || 'none'}`);
  }
  if (allWork(reports)) logger.info({ engines: reports.length }, 'self-test done');
  return reports;
}

async function examine(config: Config, signal: AbortSignal): Promise<readonly CheckReport[]> {
  for (let attempt = 1; ; attempt += 1) {
    const { reports, end } = await examineInProcess(config, signal);
    if (reports !== undefined || signal.aborted) return reports ?? [];
    if (attempt >= MAX_TRIES) throw new Error(`its process ended without an answer (${end})`);
  }
}

/** Waits for the end of the process. */
async function examineInProcess(
  config: Config,
  signal: AbortSignal,
): Promise<{ readonly reports: readonly CheckReport[] | undefined; readonly end: string }> {
  // Programs may read the service's standard output as JSON.
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
    // URLs, such as those of proxies, cannot be sent.
    child.send(withOnlyOwnPage(config, '127.0.0.1'), () => undefined);
    // A message may arrive after the exit, until the channel closes.
    await Promise.all([once(child, 'exit'), once(child, 'disconnect')]);
    return { reports, end: child.signalCode ?? `code ${child.exitCode}` };
  } finally {
    signal.removeEventListener('abort', end);
    clearTimeout(killer);
  }
}
