import assert from 'node:assert/strict';
import type { EnginePreference } from '@winnow/contract';
import type { Capture } from '../../domain/capture/capture-ports.ts';
import type { CaptureOptions } from '../../domain/request-options/page-options.ts';

/** Returns the answer that a page of the test site got to its dialog. */
export const said = ({ html }: Capture): string | undefined => /<p id="said">said (\w+)/.exec(html)?.[1];

/**
 * Refuses and accepts a dialog of the test site.
 *
 * @param cmp name of its rule; null if only its words tell it
 */
export async function assertAnswered(
  take: (engine: EnginePreference, path: string, options: CaptureOptions) => Promise<Capture>,
  engine: EnginePreference,
  dialog: string,
  cmp: string | null,
): Promise<void> {
  for (const [consent, answer] of [
    ['reject', 'no'],
    ['accept', 'yes'],
  ] as const) {
    const page = await take(engine, `/consent?dialog=${dialog}`, { consent });
    const { consent: report, partial } = page;
    assert.deepEqual([said(page), partial], [answer, false], `${consent} ${JSON.stringify(report)}`);
    assert.deepEqual(report, { action: consent, outcome: 'answered', cmp, hidden: 0 });
  }
}
