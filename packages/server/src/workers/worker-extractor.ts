import type { Extraction } from '@winnow/extract';
import type { Extractor, ExtractInput, HtmlFilter, StageBudget } from '../domain/ports.ts';
import type { WorkerPool } from './worker-pool.ts';

/** `packages/extract` in worker threads. */
export class WorkerExtractor implements Extractor, HtmlFilter {
  readonly #pool: WorkerPool;

  constructor(pool: WorkerPool) {
    this.#pool = pool;
  }

  async extract(input: ExtractInput, budget: StageBudget): Promise<Extraction> {
    const { html, url, contentLanguage, formats } = input;
    return this.#pool.run('extractPage', { html, url, contentLanguage, formats }, 'extract', budget);
  }

  async removeScriptsAndStyles(html: string, budget: StageBudget): Promise<string> {
    return this.#pool.run('filterHtml', html, 'snapshot', budget);
  }

  /** One round trip through a thread, for the readiness check. */
  async check(): Promise<string> {
    return this.#pool.run('checkSelf', null, 'extract', { timeoutMs: 5000, signal: new AbortController().signal });
  }
}
