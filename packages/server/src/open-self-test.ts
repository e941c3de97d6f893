import { runCheck } from './cli/doctor/check.ts';
import type { CheckReport } from './cli/doctor/check.ts';
import { openEngineTrial } from './cli/doctor/engine-checks.ts';
import type { Config } from './config.ts';
import type { Logger } from './domain/ports.ts';

/** The trial of every engine that the service makes once, when it has started. */
export interface SelfTest {
  /** Says that all engines work; rejects naming those that do not. Waits for the trial to end. */
  check(): Promise<string>;
  close(): Promise<void>;
}

/**
 * Captures and extracts the sample page through each engine, one after the other. The engines are those of
 * the doctor: of their own, and allowed nothing but the address of the page, so that the service's own egress
 * policy is never widened.
 */
export function startSelfTest(config: Config, logger: Logger, onDone: () => void): SelfTest {
  const stop = new AbortController();
  const running = examine(config, stop.signal).catch((error: unknown): CheckReport[] => [
    { name: 'self-test', ok: false, detail: String(error), advice: null, elapsedMs: 0 },
  ]);
  void running.then((reports) => {
    if (stop.signal.aborted) return;
    for (const report of reports) if (!report.ok) logger.warn({ ...report }, 'the self-test found a fault');
    logger.info({ engines: reports.length }, 'self-test done');
    onDone();
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

async function examine(config: Config, signal: AbortSignal): Promise<CheckReport[]> {
  const trial = await openEngineTrial(config, signal);
  const reports: CheckReport[] = [];
  try {
    for (const check of trial.checks) {
      if (signal.aborted) break;
      reports.push(await runCheck(check));
    }
    return reports;
  } finally {
    await trial.close();
  }
}
