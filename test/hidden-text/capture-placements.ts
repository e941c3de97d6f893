import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extract } from '@winnow/extract';
import { createTestFetcher } from '../../packages/server/src/composition/testing/test-fetcher.ts';
import { CANARY, hasStory, PLACEMENTS, writePage } from './placements.ts';
import type { Placement } from './placements.ts';

const CAPTURES_AT_ONCE = 4;

export interface CapturedPlacements {
  /** Names of placements whose instruction reaches a field of the extraction. */
  readonly leaks: string[];
  /** Names of placements whose page lost a part of its article. */
  readonly damaged: string[];
}

/** Captures pages with hidden text with the engine `stable`, and extracts them. */
export async function capturePlacements(placements: readonly Placement[]): Promise<CapturedPlacements> {
  const server = createServer(({ url = '' }, response) => {
    const [, kind, number] = url.split('/');
    const placement = PLACEMENTS[Number(number)];
    if (kind === 'page' && placement !== undefined) {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      response.end(writePage(placement, `/sheet/${number}`));
    } else if (kind === 'sheet') {
      response.writeHead(200, { 'content-type': 'text/css' });
      response.end(placement?.sheet);
    } else response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fetcher = createTestFetcher({
    egress: { allow: ['127.0.0.1'], deny: [] },
    browserConcurrency: CAPTURES_AT_ONCE,
  });
  const left = [...placements];
  const found: CapturedPlacements = { leaks: [], damaged: [] };
  const work = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const url = new URL(`${origin}/page/${PLACEMENTS.indexOf(next)}`);
      const capture = await fetcher.capture('stable', {
        url,
        timeoutMs: 120_000,
        signal: new AbortController().signal,
      });
      const extraction = extract(capture.html, { url: url.href, formats: ['markdown', 'html', 'stated'] });
      if (JSON.stringify(extraction).includes(CANARY)) found.leaks.push(next.name);
      if (!hasStory(extraction.mainText)) found.damaged.push(next.name);
    }
  };
  try {
    await Promise.all(Array.from({ length: CAPTURES_AT_ONCE }, work));
  } finally {
    await fetcher.close();
    server.close();
  }
  return found;
}
