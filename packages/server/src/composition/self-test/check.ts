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

/** Faults that several checks in a row have in common become one, with all their names. */
export function joinFaults<Report extends Pick<CheckReport, 'name' | 'ok' | 'detail'>>(
  reports: readonly Report[],
): Report[] {
  const joined: Report[] = [];
  for (const report of reports) {
    const last = joined.at(-1);
    if (last === undefined || last.ok || report.ok || last.detail !== report.detail) joined.push(report);
    else joined.splice(-1, 1, { ...last, name: `${last.name}, ${report.name.replace(/^engine /, '')}` });
  }
  return joined.map((report) =>
    report.name.includes(',') ? { ...report, name: report.name.replace(/^engine /, 'engines ') } : report,
  );
}
