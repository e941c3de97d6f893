import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Extractor } from '../domain/extraction/extraction-ports.ts';
import type { Logger } from '../domain/shared/ports.ts';
import type { SnapshotContent } from '../domain/storage/snapshot-ports.ts';
import { SAMPLE_PAGE } from '../domain/storage/sample-page.ts';
import type { EngineFetcher } from '../engines/create-fetcher.ts';

export interface WarmableParts {
  readonly extractor: Extractor;
  readonly content: SnapshotContent;
  readonly fetcher: Pick<EngineFetcher, 'warmUp'>;
  readonly logger: Logger;
}

/** Extractions of the sample after which V8 has compiled what every page needs. */
const EXTRACTIONS = 3;

/** A part that takes longer goes on warming up beside the first requests, in milliseconds. */
const MAX_WAIT_MS = 5000;

/** Starts the parts that the first page would wait for. Failures are logged: the requests tell of them. */
export async function warmParts({ extractor, content, fetcher, logger }: WarmableParts): Promise<void> {
  const work = [
    extractSample(extractor),
    // Stored by the first start; on other starts it may be gone, which takes the same way.
    content.get(createHash('sha256').update(SAMPLE_PAGE).digest('hex')),
    // A browser that cannot start is reported by the self-test and by every request for it.
    fetcher.warmUp(),
  ].map((part: Promise<unknown>) => part.catch((error: unknown) => logger.debug({ err: error }, 'warming up failed')));
  const waiting = new AbortController();
  await Promise.race([Promise.all(work), sleep(MAX_WAIT_MS, undefined, { signal: waiting.signal })]);
  waiting.abort();
}

async function extractSample(extractor: Extractor): Promise<void> {
  for (let left = EXTRACTIONS; left > 0; left -= 1) {
    const budget = { timeoutMs: MAX_WAIT_MS, signal: new AbortController().signal };
    const url = 'https://sample.invalid/';
    await extractor.extract({ html: SAMPLE_PAGE, url, contentLanguage: null, formats: ['markdown'] }, budget);
  }
}
