import { countThings, writeLine, type CliIo } from '../support/cli-io.ts';

/** Milliseconds between reports: a terminal overwrites one line, other outputs get new lines. */
const TERMINAL_MS = 200;
const LOG_MS = 10_000;

export interface BatchCounts {
  done: number;
  failed: number;
  /** Failed pages by error code. */
  readonly failures: Record<string, number>;
  /** Pages whose result has warnings. */
  warned: number;
  /** Pages already done by an earlier run or line. */
  skipped: number;
  /** Those of the skipped pages that failed then. */
  failedEarlier: number;
  /** Damaged parts of an archive. */
  damaged: number;
  /** Bytes of the input; the total may be unknown. */
  readBytes: number;
  readonly totalBytes: number | undefined;
}

export interface Progress {
  /** Prints a line above the counts. */
  say(line: string): void;
  stop(): void;
}

/** Reports the counts on standard error; `stop` leaves the last report. */
export function startProgress(io: Pick<CliIo, 'stderr'>, counts: BatchCounts): Progress {
  const terminal = io.stderr.isTTY === true;
  const started = performance.now();
  const report = (): void => {
    const text = describe(counts, (performance.now() - started) / 1000);
    // A wrapped line could not be overwritten.
    const width = (io.stderr.columns ?? 80) - 1;
    io.stderr.write(terminal ? `\r\u001B[K${text.slice(0, width)}` : `${text}\n`);
  };
  const timer = setInterval(report, terminal ? TERMINAL_MS : LOG_MS).unref();
  return {
    say: (line) => {
      if (terminal) io.stderr.write('\r\u001B[K');
      writeLine(io.stderr, line);
    },
    stop: () => {
      clearInterval(timer);
      report();
      if (terminal) io.stderr.write('\n');
    },
  };
}

function describe(counts: BatchCounts, seconds: number): string {
  const { done, failed, failures, warned, skipped, failedEarlier, damaged, readBytes, totalBytes } = counts;
  const parts = [countThings(done, 'page'), describeFailures(failed, failures)];
  if (warned > 0) parts.push(`${warned} with warnings`);
  if (skipped > 0) parts.push(`${skipped} skipped${failedEarlier > 0 ? ` (${failedEarlier} failed earlier)` : ''}`);
  if (damaged > 0) parts.push(`${damaged} damaged`);
  if (totalBytes !== undefined && totalBytes > 0)
    parts.push(`${Math.floor((100 * readBytes) / totalBytes)} % of the input`);
  parts.push(`${(done / Math.max(seconds, 0.001)).toFixed(1)} pages/s`, `${seconds.toFixed(1)} s`);
  return parts.join(', ');
}

/** Writes `2 failed (1 fetch_timeout, 1 dns_failed)`. */
export function describeFailures(failed: number, codes: Readonly<Record<string, number>>): string {
  const reasons = Object.entries(codes).map(([code, count]) => `${count} ${code}`);
  return `${failed} failed${reasons.length > 0 ? ` (${reasons.join(', ')})` : ''}`;
}
