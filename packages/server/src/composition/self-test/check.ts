import { failLate, within } from '../../domain/shared/within.ts';
import { messageOf } from '../../domain/shared/errors.ts';

export interface Check {
  readonly name: string;
  /** Returns a finding, or throws the fault. */
  readonly run: () => Promise<string>;
  /** For a failure, depending on the error. */
  readonly advice: (error: unknown) => string;
  readonly timeoutMs: number;
  /** A fault is only a risk. Default false. */
  readonly onlyWarns?: boolean;
}

export interface CheckReport {
  readonly name: string;
  readonly ok: boolean;
  /** It works; `advice` says how to remove a risk. */
  readonly warning: boolean;
  readonly detail: string;
  readonly advice: string | null;
  readonly elapsedMs: number;
}

export async function runCheck(check: Check): Promise<CheckReport> {
  const started = performance.now();
  const report = (ok: boolean, detail: string, advice: string | null): CheckReport => {
    const elapsedMs = Math.round(performance.now() - started);
    return { name: check.name, ok, warning: ok && advice !== null, detail, advice, elapsedMs };
  };
  try {
    return report(true, await within(check.run(), check.timeoutMs, failLate(check.timeoutMs)), null);
  } catch (error) {
    return report(check.onlyWarns ?? false, messageOf(error), check.advice(error));
  }
}
