import { createHash } from 'node:crypto';
import type { Extractor } from '../domain/extraction/extraction-ports.ts';
import type { Logger } from '../domain/shared/ports.ts';
import { within } from '../domain/shared/within.ts';
import type { SnapshotContent } from '../domain/storage/snapshot-ports.ts';
import { SAMPLE_PAGE } from '../domain/storage/sample-page.ts';
import type { EngineFetcher } from '../engines/create-fetcher.ts';

export interface WarmableParts {
  readonly extractor: Extractor;
  readonly content: SnapshotContent;
  readonly fetcher: Pick<EngineFetcher, 'warmUp'>;
  readonly logger: Logger;
}

/** V8 has compiled the code for pages after this many extractions. */
const EXTRACTIONS = 3;

/** Slower parts continue beside the first requests. */
const MAX_WAIT_MS = 5000;

/** Longer than the wait: a worker ends when its task times out. */
const MAX_WORK_MS = 60_000;

/** Logs failures; later requests report them, too. */
export async function warmParts({ extractor, content, fetcher, logger }: WarmableParts): Promise<void> {
  const work = [
    extractSample(extractor),
    // The sample may be gone; a miss takes the same path.
    content.get(createHash('sha256').update(SAMPLE_PAGE).digest('hex')),
    // The self-test reports a browser that cannot start.
    fetcher.warmUp(),
  ].map((part: Promise<unknown>) => part.catch((error: unknown) => logger.debug({ err: error }, 'warming up failed')));
  await within(Promise.all(work), MAX_WAIT_MS);
}

async function extractSample(extractor: Extractor): Promise<void> {
  for (let left = EXTRACTIONS; left > 0; left -= 1) {
    const budget = { timeoutMs: MAX_WORK_MS, signal: new AbortController().signal };
    const url = 'https://sample.invalid/';
    await extractor.extract({ html: SAMPLE_PAGE, url, contentLanguage: null, formats: ['markdown'] }, budget);
  }
}
