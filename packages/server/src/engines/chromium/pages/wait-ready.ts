import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '../../../domain/shared/within.ts';
import type { PageMonitor } from './page-monitor.ts';
import { MAX_REFRESH_TEXT } from '../../../domain/shells/find-refresh.ts';
import { TEXT_WITHOUT_FRAMES } from '../../../domain/shells/find-embedded.ts';
import { findPatience, type RenderedOutline } from '../../../domain/shells/shell-rules.ts';
import { FRAME_OUTLINE_SCRIPT, isOutline, OUTLINE_SCRIPT } from './outline-script.ts';
import type { PageScroll } from './page-scroll.ts';
import { QUIET_EXPRESSION } from './page-scripts.ts';
import { BLOCKING, DATA, SETTLED, type Readiness } from './readiness.ts';

export interface ReadyContext {
  readonly monitor: PageMonitor;
  readonly scroll: PageScroll;
  evaluate(expression: string): Promise<unknown>;
  /** Evaluates in the frames of other origins, if there are any. */
  evaluateInFrames(expression: string): Promise<unknown[]>;
  readonly timeoutMs: number;
  /** Longest wait for an unrendered app shell that requests nothing. Default: until the timeout. */
  readonly idleMs?: number | undefined;
  /** The page looks like an app shell: engines that wait for an event wait for its content too. */
  readonly isSuspect?: boolean;
  /** Moves the pointer: some scripts wait for a visitor. */
  movePointer(): void;
  /** Ends a request that is not answered. */
  hangUp(url: string): void;
  isOver(): boolean;
}

/** Marks the end of the initial rendering. */
const QUIET_BEFORE_SCROLL_MS = 250;
/** For conditions without events. */
const POLL_MS = 100;
const MIN_PAUSE_MS = 20;
const SHELL_POLL_MS = 200;
/** Players and maps in frames may never be filled. */
const MAX_FRAME_PATIENCE_MS = 5000;
/** Part of the time for the answer to a script or style sheet without which the page is not parsed. */
const BLOCKING_SHARE = 0.6;

/**
 * Waits until the page is ready, and as long as it is still an unrendered app shell. Returns false if it was not ready at
 * the timeout.
 */
export async function waitReady(readiness: Readiness, context: ReadyContext): Promise<boolean> {
  const until = performance.now() + context.timeoutMs;
  let shellSince: number | undefined;
  const settled: Readiness = { ...SETTLED, event: readiness.event };
  for (let next = endsWithEvent(readiness) && context.isSuspect === true ? settled : readiness; ;) {
    const hasSettled = await waitSettled(next, context, until);
    if (!readiness.isFilled || (endsWithEvent(readiness) && context.isSuspect !== true)) return hasSettled;
    shellSince ??= performance.now();
    const end = await waitFilled(context, shellSince, until);
    if (end !== 'changed') return hasSettled && end === 'ready';
    // No event says that a shell is filled.
    if (endsWithEvent(readiness)) next = settled;
  }
}

function endsWithEvent({ quietMs }: Readiness): boolean {
  return quietMs === null;
}

async function waitSettled(readiness: Readiness, context: ReadyContext, deadline: number): Promise<boolean> {
  const cap = (): number => Math.min(deadline, performance.now() + (readiness.capMs ?? Infinity));
  const until = cap();
  if (!readiness.scrolls) return waitQuiet(readiness, context, until);
  if (!(await waitQuiet({ ...readiness, quietMs: QUIET_BEFORE_SCROLL_MS }, context, until))) return false;
  const { scroll } = context;
  const scrollUntil = scroll.limit(scroll.isOrdered ? deadline : until);
  do {
    await scroll.run(context, scrollUntil);
    if (!(await waitQuiet(readiness, context, scroll.isOrdered ? cap() : until))) return false;
    // While the page is quiet it stays at the bottom: scripts may react late.
  } while (await scroll.hasMore(context, scrollUntil));
  await scroll.back(context);
  const isQuiet = await waitQuiet(readiness, context, scroll.isOrdered ? cap() : until);
  await scroll.restoreRows(context);
  return isQuiet;
}

/**
 * Waits while the page is an unrendered app shell, or has little text and will open another page in time. Returns
 * `changed` if it was one and is none any more, and `late` if it is still one at the timeout.
 * @param since start of the patience of rules without a placeholder
 */
async function waitFilled(context: ReadyContext, since: number, until: number): Promise<'ready' | 'changed' | 'late'> {
  const { monitor } = context;
  let isShell = false;
  for (; performance.now() < until && !context.isOver(); isShell = true) {
    if (monitor.isLeaving()) return 'changed';
    if (monitor.fileUrl !== undefined) return 'ready';
    const isRequesting = monitor.openRequests(DATA, Infinity) > 0 || monitor.openSockets > 0;
    const answer = await within(
      context.evaluate(OUTLINE_SCRIPT).catch(() => 'gone'),
      until - performance.now(),
    );
    if (answer === 'gone') return 'changed';
    if (isOutline(answer) && answer.ownText <= MAX_REFRESH_TEXT && opensAnother(monitor, until)) {
      await sleep(SHELL_POLL_MS);
      continue;
    }
    const patienceMs = isOutline(answer)
      ? findPatience(answer, isRequesting) || (await askFrames(context, answer, { isRequesting, until }))
      : 0;
    if (patienceMs === 0) return isShell ? 'changed' : 'ready';
    if (!isShell) context.movePointer();
    const limitMs = isRequesting ? patienceMs : Math.min(patienceMs, context.idleMs ?? Infinity);
    if (performance.now() - since >= limitMs) return 'ready';
    await sleep(Math.max(0, Math.min(SHELL_POLL_MS, until - performance.now())));
  }
  return isShell ? 'late' : 'ready';
}

/** Asks frames of other origins whose documents count as the page's own: if it shows next to nothing else. */
async function askFrames(
  context: ReadyContext,
  { ownText, hasMedia }: RenderedOutline,
  { isRequesting, until }: { readonly isRequesting: boolean; readonly until: number },
): Promise<number> {
  if (!hasMedia || ownText >= TEXT_WITHOUT_FRAMES) return 0;
  const answers = await within(
    context.evaluateInFrames(FRAME_OUTLINE_SCRIPT).catch(() => []),
    until - performance.now(),
  );
  const patience = (answers ?? []).filter(isOutline).map((outline) => findPatience(outline, isRequesting));
  return Math.min(MAX_FRAME_PATIENCE_MS, Math.max(0, ...patience));
}

function opensAnother(monitor: PageMonitor, until: number): boolean {
  const refreshMs = monitor.refreshMs();
  return refreshMs !== undefined && performance.now() + refreshMs < until;
}

async function waitQuiet(readiness: Readiness, context: ReadyContext, until: number): Promise<boolean> {
  const { monitor } = context;
  const { quietMs, waitsFor } = readiness;
  while (performance.now() < until && !context.isOver()) {
    const isReadyOrOver = (): boolean => {
      unblock(context, BLOCKING_SHARE * Math.min(context.timeoutMs, readiness.capMs ?? Infinity));
      return context.isOver() || isReady(readiness, monitor);
    };
    if (!(await waitFor(isReadyOrOver, monitor, until))) return false;
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

/** Lets the parser go on without scripts and style sheets that never come. */
function unblock(context: ReadyContext, afterMs: number): void {
  const { monitor } = context;
  if (monitor.hasDomContent) return;
  for (const url of monitor.unanswered(BLOCKING, afterMs)) context.hangUp(url);
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
