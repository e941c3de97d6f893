/** One thing that the doctor looks at. */
export interface Check {
  readonly name: string;
  /** Says what was found; an error says what is wrong. */
  readonly run: () => Promise<string>;
  /** What to do when it fails, with this error where that makes a difference. */
  readonly advice: (error: unknown) => string;
  /** Milliseconds after which it has failed. */
  readonly timeoutMs: number;
  /** A fault is a risk, and everything works with it. Default false. */
  readonly onlyWarns?: boolean;
}

export interface CheckReport {
  readonly name: string;
  readonly ok: boolean;
  /** It works, and `advice` says how to remove a risk. */
  readonly warning: boolean;
  readonly detail: string;
  readonly advice: string | null;
  readonly elapsedMs: number;
}

/** Runs one check; whatever happens becomes its report. */
export async function runCheck(check: Check): Promise<CheckReport> {
  const started = performance.now();
  const report = (ok: boolean, detail: string, advice: string | null): CheckReport => {
    const elapsedMs = Math.round(performance.now() - started);
    return { name: check.name, ok, warning: ok && advice !== null, detail, advice, elapsedMs };
  };
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${check.timeoutMs} ms`)), check.timeoutMs);
  try {
    return report(true, await Promise.race([check.run(), late.promise]), null);
  } catch (error) {
    return report(
      check.onlyWarns ?? false,
      error instanceof Error ? error.message : String(error),
      check.advice(error),
    );
  } finally {
    clearTimeout(timer);
  }
}
