import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../../domain/shared/errors.ts';
import { within } from '../../../domain/shared/within.ts';
import type { ReadyContext } from './wait-ready.ts';

const POLL_MS = 100;

/**
 * Waits for an element and then for the readiness, or for the readiness and then some milliseconds. Returns false on a
 * timeout.
 * @param waitReady waits within the remaining time
 */
export async function waitForContent(
  waitFor: string | number,
  context: ReadyContext,
  waitReady: (rest: ReadyContext) => Promise<boolean>,
): Promise<boolean> {
  const until = performance.now() + context.timeoutMs;
  const rest = (): ReadyContext => ({ ...context, timeoutMs: Math.max(0, until - performance.now()) });
  if (typeof waitFor === 'string') return (await waitForElement(waitFor, context, until)) && waitReady(rest());
  // Waits even if the page is never quiet.
  const isReady = await waitReady(rest());
  const leftMs = until - performance.now();
  await sleep(Math.min(waitFor, Math.max(0, leftMs)));
  return isReady && waitFor <= leftMs;
}

/**
 * Polls, because a script or a later document may add the element.
 * @throws {AppError} `invalid_request` for a selector that the browser does not support
 */
async function waitForElement(selector: string, context: ReadyContext, until: number): Promise<boolean> {
  const expression = `(() => {
    try { return document.querySelector(${JSON.stringify(selector)}) !== null; } catch { return 'unknown'; }
  })()`;
  while (performance.now() < until && !context.isOver()) {
    const found = await within(
      context.evaluate(expression).catch(() => false),
      until - performance.now(),
    );
    if (found === 'unknown')
      throw new AppError('invalid_request', 'wait_for: the browser does not support this selector');
    if (found === true) return true;
    await sleep(Math.max(0, Math.min(POLL_MS, until - performance.now())));
  }
  return false;
}
