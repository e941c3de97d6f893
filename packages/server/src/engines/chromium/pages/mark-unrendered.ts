import { DevtoolsError } from '../devtools/devtools-connection.ts';
import type { DevtoolsSession } from '../devtools/devtools-connection.ts';
import { APPLY_MARKS_SCRIPT, findUnrendered, REMOVE_MARKS_SCRIPT } from './unrendered-scripts.ts';

/** The page whose elements are marked. */
export interface MarkedPage {
  readonly session: DevtoolsSession;
  /** Evaluates in the isolated world of the current document. */
  evaluate(expression: string): Promise<unknown>;
  /** Whether the scripts of the page are stopped for good. */
  isFrozen(): boolean;
  /** Milliseconds for finding the elements; elements that are not reached by then get no mark. */
  readonly markWithinMs: number;
}

/**
 * Reads the page while each element with text that the browser does not render has the attribute
 * `data-winnow-unrendered`, and puts the DOM back as it was.
 *
 * Scripts of the page are off while attributes change, so that no observer and no custom element notices. They are on
 * for the reading: without them Chromium writes the content of `<noscript>` as text. When the page changes itself between
 * the marks and the end of the reading, `read` is called again with the scripts off.
 */
export async function readMarked<Result>(page: MarkedPage, read: () => Promise<Result>): Promise<Result> {
  if ((await page.evaluate(findUnrendered(page.markWithinMs)).catch(unlessRefused)) !== true) return read();
  const result = await readOnce(page, read, false);
  return result.isWhole ? result.value : (await readOnce(page, read, true)).value;
}

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
    if (isLocked) await page.evaluate(findUnrendered(page.markWithinMs)).catch(unlessRefused);
    await page.evaluate(APPLY_MARKS_SCRIPT).catch(unlessRefused);
    if (!isLocked) await setLocked(false);
    const value = await read();
    await setLocked(true);
    const isWhole = (await page.evaluate(REMOVE_MARKS_SCRIPT).catch(unlessRefused)) !== false;
    return { value, isWhole };
  } finally {
    await setLocked(false);
  }
}

/** A page that moved on has lost its marks; its reader sees that by itself. */
function unlessRefused(error: unknown): undefined {
  if (!(error instanceof DevtoolsError)) throw error;
}
