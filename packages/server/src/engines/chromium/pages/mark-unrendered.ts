import { DevtoolsError, type DevtoolsSession } from '../devtools/devtools-connection.ts';
import { APPLY_MARKS_SCRIPT, findUnrendered, REMOVE_MARKS_SCRIPT } from './unrendered-scripts.ts';

export interface MarkedPage {
  readonly session: DevtoolsSession;
  /** Evaluates in the isolated world. */
  evaluate(expression: string): Promise<unknown>;
  /** True if scripts are stopped permanently. */
  isFrozen(): boolean;
  /** Later elements get no mark. */
  readonly markWithinMs: number;
}

/**
 * Reads the page while unrendered elements with text are marked, then restores the DOM.
 *
 * Scripts are disabled while attributes change, so that no observer notices, and enabled during the read: otherwise
 * Chromium serialises `<noscript>` as text. If the page changes meanwhile, `read` runs again with scripts disabled.
 */
export async function readMarked<Result>(page: MarkedPage, read: () => Promise<Result>): Promise<Result> {
  let isRefused = false;
  const evaluate = (expression: string): Promise<unknown> =>
    page.evaluate(expression).catch((error: unknown) => {
      isRefused = true;
      return unlessRefused(error);
    });
  const wasFrozen = page.isFrozen();
  const value = await readWithMarks({ ...page, evaluate }, read);
  // What stopped the scripts of a page that did not answer in time has stopped the marking too.
  return isRefused && page.isFrozen() && !wasFrozen ? readWithMarks({ ...page, evaluate }, read) : value;
}

async function readWithMarks<Result>(page: MarkedPage, read: () => Promise<Result>): Promise<Result> {
  if ((await page.evaluate(findUnrendered(page.markWithinMs))) !== true) return read();
  const result = await readOnce(page, read, false);
  return result.isWhole ? result.value : (await readOnce(page, read, true)).value;
}

/** Awaits every command: Chromium may run `setScriptExecutionDisabled` before commands that were sent earlier. */
async function readOnce<Result>(
  page: MarkedPage,
  read: () => Promise<Result>,
  isLocked: boolean,
): Promise<{ readonly value: Result; readonly isWhole: boolean }> {
  const setLocked = async (value: boolean): Promise<void> => {
    if (page.isFrozen()) return;
    await page.session.send('Emulation.setScriptExecutionDisabled', { value }).catch(unlessRefused);
  };
  try {
    await setLocked(true);
    if (isLocked) await page.evaluate(findUnrendered(page.markWithinMs));
    await page.evaluate(APPLY_MARKS_SCRIPT);
    if (!isLocked) await setLocked(false);
    const value = await read();
    await setLocked(true);
    const isWhole = (await page.evaluate(REMOVE_MARKS_SCRIPT)) !== false;
    return { value, isWhole };
  } finally {
    await setLocked(false);
  }
}

function unlessRefused(error: unknown): undefined {
  if (!(error instanceof DevtoolsError)) throw error;
}
