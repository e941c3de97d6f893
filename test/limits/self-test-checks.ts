import { ownHelpers } from '../../packages/server/src/engines/testing/own-browsers.ts';
import { readReadiness } from '../support/read-readiness.ts';

/** Returns the result of the engines' readiness check once the self-test is over. */
export async function readEngines(url: string): Promise<string> {
  const { ok, detail = '' } = (await readReadiness(url)).body.checks['engines'] ?? { ok: false };
  return `${ok ? 'ok' : 'not ok'}: ${detail}`;
}

export const ALL_WORK = 'ok: a page was extracted through 8 engines';

/** Lists the processes of the self-test, without its browsers. */
export const listProcesses = (): number[] => ownHelpers((command) => command.includes('self-test-process'));

/** Lists the processes of the self-test's browsers. */
export const listBrowsers = (): number[] => ownHelpers((command) => command.includes('winnow-chromium-'));
