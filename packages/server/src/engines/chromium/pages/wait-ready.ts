import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '../../../domain/shared/within.ts';
import type { PageMonitor } from './page-monitor.ts';
import { QUIET_EXPRESSION, SCROLL_SCRIPT } from './page-scripts.ts';
import type { Readiness } from './readiness.ts';

export interface ReadyContext {
  readonly monitor: PageMonitor;
  evaluate(expression: string): Promise<unknown>;
  readonly timeoutMs: number;
  isOver(): boolean;
}

/** Marks the end of the initial rendering. */
const QUIET_BEFORE_SCROLL_MS = 250;
/** For conditions without events. */
const POLL_MS = 100;
const MIN_PAUSE_MS = 20;

/** Returns false on a timeout. */
export async function waitReady(readiness: Readiness, context: ReadyContext): Promise<boolean> {
  const until = performance.now() + Math.min(context.timeoutMs, readiness.capMs ?? Infinity);
  if (readiness.scrolls) {
    if (!(await waitQuiet({ ...readiness, quietMs: QUIET_BEFORE_SCROLL_MS }, context, until))) return false;
    await within(
      context.evaluate(SCROLL_SCRIPT).catch(() => {}),
      until - performance.now(),
    );
  }
  return waitQuiet(readiness, context, until);
}

async function waitQuiet(readiness: Readiness, context: ReadyContext, until: number): Promise<boolean> {
  const { monitor } = context;
  const { quietMs, waitsFor } = readiness;
  while (performance.now() < until && !context.isOver()) {
    if (!(await waitFor(() => context.isOver() || isReady(readiness, monitor), monitor, until))) return false;
    if (quietMs === null) return true;
    // The main thread answers between scripts, so their changes count.
    const domQuietMs = await within(askQuiet(context), until - performance.now());
    if (domQuietMs === undefined) return false;
    const missingMs = quietMs - Math.min(domQuietMs, monitor.quietMs(waitsFor));
    if (missingMs <= 0 && isReady(readiness, monitor)) return true;
    await sleep(Math.max(0, Math.min(Math.max(missingMs, MIN_PAUSE_MS), until - performance.now())));
  }
  return false;
}

/** Returns the quiet milliseconds; 0 while the document is being replaced. */
async function askQuiet(context: ReadyContext): Promise<number> {
  const answer = await context.evaluate(QUIET_EXPRESSION).catch(() => 0);
  return typeof answer === 'number' ? answer : 0;
}

function isReady({ event, waitsFor, patienceMs }: Readiness, monitor: PageMonitor): boolean {
  const hasFired = event === 'load' ? monitor.hasLoaded : monitor.hasDomContent;
  return hasFired && !monitor.isLeaving() && monitor.openRequests(waitsFor, patienceMs) === 0;
}

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
