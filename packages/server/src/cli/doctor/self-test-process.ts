/** Process of the start-up self-test: receives the configuration, sends the reports, and ends with its parent. */
import { runCheck, type CheckReport } from '../../composition/self-test/check.ts';
import { openEngineTrial } from './engine-checks.ts';
import type { Config } from '../../config/config.ts';
import { closing } from '../../domain/shared/closing.ts';

const stop = new AbortController();
process.once('disconnect', () => stop.abort());
// Signals reach the whole group; the service ends this process.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);
process.once('message', (config) => void answer(config as Config));

async function answer(config: Config): Promise<void> {
  // A message sent before the channel closed is still delivered.
  if (!process.connected) process.exit();
  const reports = await examine(config, stop.signal).catch((error: unknown): CheckReport[] => [
    { name: 'self-test', ok: false, warning: false, detail: String(error), advice: null, elapsedMs: 0 },
  ]);
  if (process.connected) await new Promise((resolve) => process.send?.(reports, resolve));
  // Engines may have left handles.
  process.exit();
}

async function examine(config: Config, signal: AbortSignal): Promise<CheckReport[]> {
  await using trial = closing(await openEngineTrial(config, signal));
  const reports: CheckReport[] = [];
  for (const check of trial.checks) {
    if (signal.aborted) break;
    reports.push(await runCheck(check));
  }
  return reports;
}
