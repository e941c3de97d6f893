import type { DevtoolsSession } from './devtools-connection.ts';
import type { PageMonitor } from './page-monitor.ts';
import { SCROLL_SCRIPT } from './page-scripts.ts';
import type { Readiness } from './readiness.ts';

export interface ReadyContext {
  readonly session: DevtoolsSession;
  readonly monitor: PageMonitor;
  /** Evaluates in the isolated world of the current document. */
  evaluate(expression: string): Promise<unknown>;
  /** Milliseconds that may pass before the page is captured as it is. */
  readonly timeoutMs: number;
}

/** Quiet for this long before the page is scrolled: what it renders at first is there. */
const QUIET_BEFORE_SCROLL_MS = 250;
const POLL_MS = 25;

/** Waits until the page is ready; false when the time ran out before. */
export async function waitReady(readiness: Readiness, context: ReadyContext): Promise<boolean> {
  const until = performance.now() + Math.min(context.timeoutMs, readiness.capMs ?? Infinity);
  if (readiness.scrolls) {
    if (!(await waitQuiet({ ...readiness, quietMs: QUIET_BEFORE_SCROLL_MS }, context, until))) return false;
    await Promise.race([context.evaluate(SCROLL_SCRIPT).catch(() => {}), sleep(until - performance.now())]);
  }
  return waitQuiet(readiness, context, until);
}

async function waitQuiet(readiness: Readiness, context: ReadyContext, until: number): Promise<boolean> {
  for (;;) {
    if (!(await waitFor(() => isReady(readiness, context.monitor), context.monitor, until))) return false;
    if (readiness.quietMs === null) return true;
    // A script that computes for long changes nothing meanwhile: an answer of the main thread ends it, and
    // the changes that it made are then known.
    await Promise.race([context.evaluate('0').catch(() => {}), sleep(until - performance.now())]);
    if (isReady(readiness, context.monitor)) return true;
  }
}

function isReady({ event, quietMs, waitsFor, patienceMs }: Readiness, monitor: PageMonitor): boolean {
  if (!(event === 'load' ? monitor.hasLoaded : monitor.hasDomContent) || monitor.isLeaving()) return false;
  if (quietMs === null) return true;
  return monitor.quietMs() >= quietMs && monitor.openRequests(waitsFor, patienceMs) === 0;
}

/** Waits for a condition, looking at every event and, as quiet is the absence of events, from time to time. */
async function waitFor(condition: () => boolean, monitor: PageMonitor, until: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const look = (): void => {
    if (condition()) resolve(true);
    else if (performance.now() >= until) resolve(false);
  };
  const timer = setInterval(look, POLL_MS);
  monitor.onEvent(look);
  look();
  return promise.finally(() => {
    clearInterval(timer);
    monitor.onEvent(() => {});
  });
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}
