import { setTimeout as sleep } from 'node:timers/promises';
import type { ScrollDetails } from '@winnow/contract';
import { within } from '../../../domain/shared/within.ts';
import type { CaptureOptions } from '../../../domain/request-options/page-options.ts';
import type { PageMonitor } from './page-monitor.ts';
import { HAS_GROWN_EXPRESSION, RESTORE_ROWS_EXPRESSION, SCROLL_BACK_SCRIPT, scrollScript } from './page-scripts.ts';
import type { Scrolled } from './page-scripts.ts';
import { DATA } from './readiness.ts';

/** Limits without the option. */
const MAX_STEPS = 60;
const MAX_MS = 8000;
/** Part of the remaining time that stays for the last wait, where the option has no limit of time. */
const REST_MS = 2500;
const REST_SHARE = 0.25;
/** Time for what an answer adds to the page. */
const RENDER_MS = 80;
const POLL_MS = 20;
const BACK_MS = 1000;
/** Time for handlers that wait for the end of scrolling, on a page that has loaded more before. */
const LATE_MS = 700;
const ANSWER_MS = 4000;
/** Elements; fewer are no items of a list. */
const LEAST_GAINED = 3;

export interface ScrollContext {
  readonly monitor: PageMonitor;
  evaluate(expression: string): Promise<unknown>;
  isOver(): boolean;
}

/** Scrolls through one page, also in several parts, and waits for what it loads meanwhile. */
export class PageScroll {
  readonly #limits: CaptureOptions['scroll'];
  #report: ScrollDetails | undefined;
  #hasGrown = false;

  constructor(limits: CaptureOptions['scroll']) {
    this.#limits = limits;
  }

  /** True if a request sets the limits. */
  get isOrdered(): boolean {
    return this.#limits !== undefined;
  }

  /** Undefined if the page was not scrolled. */
  get report(): ScrollDetails | undefined {
    return this.#report;
  }

  /** Marks a page for the extraction, which warns of pages that load more; undefined if the page was not scrolled. */
  get mark(): 'end' | 'limit' | undefined {
    if (this.#report === undefined) return undefined;
    return this.isOrdered || this.#report.outcome === 'end' || !this.#hasGrown ? 'end' : 'limit';
  }

  /** Returns when scrolling ends at the latest. */
  limit(deadline: number): number {
    const now = performance.now();
    const left = Math.max(0, deadline - now);
    return now + (this.isOrdered ? left - Math.min(REST_MS, left * REST_SHARE) : Math.min(MAX_MS, left));
  }

  /** Scrolls down, as long as requests that it causes add to the page. */
  async run(context: ScrollContext, until: number): Promise<void> {
    const goesOn = this.#report !== undefined;
    for (let hasWaited = goesOn; !context.isOver(); hasWaited = true) {
      const start = performance.now();
      const scrolled = await this.#scroll(context, until);
      if (scrolled === undefined || this.#report?.outcome !== 'end') break;
      if (hasWaited && scrolled.steps === 0) break;
      if (!(await waitForAnswers(context.monitor, start, until))) break;
    }
    if (goesOn) await sleep(Math.max(0, Math.min(LATE_MS, until - performance.now())));
  }

  /** Scrolls to the top. */
  async back(context: ScrollContext): Promise<void> {
    if (this.#report === undefined) return;
    await within(
      context.evaluate(SCROLL_BACK_SCRIPT).catch(() => {}),
      BACK_MS,
    );
  }

  /** Adds the rows that lists show only while they are in sight. Call it right before the page is read. */
  async restoreRows(context: ScrollContext): Promise<void> {
    if (this.#report === undefined) return;
    const rows = await within(
      context.evaluate(RESTORE_ROWS_EXPRESSION).catch(() => 0),
      BACK_MS,
    );
    if (typeof rows === 'number' && rows > 0) this.#report = { ...this.#report, restored_rows: rows };
  }

  /** Returns true if the page has loaded more since, and the limits allow to go on. */
  async hasMore(context: ScrollContext, until: number): Promise<boolean> {
    if (this.#report?.outcome !== 'end' || context.isOver()) return false;
    const asking = context.evaluate(HAS_GROWN_EXPRESSION).catch(() => false);
    if ((await within(asking, BACK_MS)) !== true) return false;
    this.#hasGrown = true;
    if (performance.now() < until) return true;
    this.#report = { ...this.#report, outcome: 'out_of_time' };
    return false;
  }

  async #scroll(context: ScrollContext, until: number): Promise<Scrolled | undefined> {
    const { max_steps: maxSteps = MAX_STEPS, max_items: maxItems } = this.#limits ?? {};
    const before = this.#report?.steps ?? 0;
    const maxMs = Math.max(0, until - performance.now());
    const order = { maxSteps: maxSteps - before, maxItems: maxItems ?? Infinity, maxMs };
    const scrolled = await within(
      context.evaluate(scrollScript(order)).catch(() => undefined),
      maxMs,
    );
    if (scrolled === undefined && performance.now() < until) return undefined;
    const nothing: Scrolled = { steps: 0, items: 0, isAtEnd: false, gained: 0 };
    const done = (scrolled as Scrolled | undefined) ?? nothing;
    const { steps, items, isAtEnd, gained } = done;
    if (gained >= LEAST_GAINED) this.#hasGrown = true;
    const hasItems = maxItems !== undefined && items >= maxItems;
    const limit = before + steps >= maxSteps ? 'max_steps' : 'out_of_time';
    const outcome = hasItems ? 'max_items' : isAtEnd ? 'end' : limit;
    this.#report = { steps: before + steps, outcome, ...(maxItems === undefined ? {} : { items }) };
    return done;
  }
}

/** Waits for the data that was requested since a time. Returns false if none was. */
async function waitForAnswers(monitor: PageMonitor, since: number, until: number): Promise<boolean> {
  if (!monitor.hasRequested(DATA, since)) return false;
  const limit = Math.min(until, performance.now() + ANSWER_MS);
  while (performance.now() < limit && monitor.openSince(DATA, since) > 0) await sleep(POLL_MS);
  await sleep(RENDER_MS);
  return true;
}
