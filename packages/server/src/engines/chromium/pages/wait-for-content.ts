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

/** Nodes that are searched for shadow roots and frames. */
const MAX_WALKED = 20_000;

/**
 * Polls, because a script or a later document may add the element: to the page, an open shadow root, or a frame of the
 * same origin.
 * @throws {AppError} `invalid_request` for a selector that the browser does not support
 */
async function waitForElement(selector: string, context: ReadyContext, until: number): Promise<boolean> {
  const expression = `(() => {
    const scopes = [document];
    let walked = 0;
    try {
      for (let at = 0; at < scopes.length; at += 1) {
        if (scopes[at].querySelector(${JSON.stringify(selector)}) !== null) return true;
        const walker = document.createTreeWalker(scopes[at], NodeFilter.SHOW_ELEMENT);
        for (let node = walker.nextNode(); node && walked < ${MAX_WALKED}; node = walker.nextNode()) {
          walked += 1;
          const inner = node.shadowRoot ?? (/^(?:i?frame|object)$/.test(node.localName) ? node.contentDocument : null);
          if (inner) scopes.push(inner);
        }
      }
      return false;
    } catch { return 'unknown'; }
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
