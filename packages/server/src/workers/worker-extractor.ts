import type { ElementChoice } from '@winnow/extract/matching';
import type { PreviewRenderer, PagePreview } from '../domain/inspection/find-main-content.ts';
import type { CaptureVerdict, HtmlFilter } from '../domain/capture/capture-ports.ts';
import { pickContentOptions } from '../domain/request-options/content-options.ts';
import type { TextDiff, TextDiffer } from '../domain/crawls/crawl-ports.ts';
import type { PageLinks } from '../domain/crawls/read-links.ts';
import type { Extractor, ExtractInput, LinkReader, PageExtraction } from '../domain/extraction/extraction-ports.ts';
import type { StageBudget } from '../domain/shared/ports.ts';
import type { ShellJudgeWorker, ShellPage } from '../domain/shells/judge-shell.ts';
import type { WorkerPool } from './worker-pool.ts';

/** Milliseconds for the probe of the readiness check. */
const CHECK_TIMEOUT_MS = 5000;

/** Lifetime of an answer in idle timeouts; above one, so that probes let an idle worker end. */
const PROBE_REUSE = 1.5;

export class WorkerExtractor
  implements Extractor, LinkReader, TextDiffer, HtmlFilter, PreviewRenderer, ShellJudgeWorker
{
  readonly #pool: WorkerPool;
  readonly #now: () => number;
  #answered: { readonly at: number; readonly answer: string } | undefined;

  /** @param now monotonic clock in milliseconds */
  constructor(pool: WorkerPool, now: () => number = () => performance.now()) {
    this.#pool = pool;
    this.#now = now;
  }

  async extract(input: ExtractInput, budget: StageBudget): Promise<PageExtraction> {
    return this.#pool.run('extractPageTask', copyInput(input), 'extract', budget);
  }

  async readLinks({ html, url }: Pick<ExtractInput, 'html' | 'url'>, budget: StageBudget): Promise<PageLinks> {
    return this.#pool.run('readPageLinks', { html, url }, 'extract', budget);
  }

  async diff(before: string, after: string, budget: StageBudget): Promise<TextDiff> {
    return this.#pool.run('diffTexts', { before, after }, 'extract', budget);
  }

  async removeScriptsAndStyles(html: string, budget: StageBudget): Promise<string> {
    return this.#pool.run('filterScriptsStyles', html, 'snapshot', budget);
  }

  async pickElements(html: string, choice: ElementChoice, budget: StageBudget): Promise<string> {
    return this.#pool.run('pickPage', { html, choice }, 'snapshot', budget);
  }

  async judgeShell(page: ShellPage, budget: StageBudget): Promise<CaptureVerdict> {
    return this.#pool.run('judgeShell', page, 'fetch', budget);
  }

  async renderPreview(preview: PagePreview, budget: StageBudget): Promise<string> {
    return this.#pool.run('renderPreview', preview, 'extract', budget);
  }

  /** Probes a worker and caches the answer. Starts none after idleness and does not queue when all are busy. */
  async check(timeoutMs: number = CHECK_TIMEOUT_MS): Promise<string> {
    if (this.#answered && this.#pool.state.isFull) return 'every worker is busy';
    if (this.#answered && this.#pool.state.workers === 0) return 'no recent page; the next one starts one';
    if (this.#answered && this.#now() - this.#answered.at < PROBE_REUSE * this.#pool.idleTimeoutMs)
      return this.#answered.answer;
    const budget = { timeoutMs, signal: new AbortController().signal };
    const answer = await this.#pool.run<string>('checkSelf', null, 'extract', budget);
    this.#answered = { at: this.#now(), answer };
    return answer;
  }
}

export function copyInput(page: ExtractInput): ExtractInput {
  const { html, url, contentLanguage, elements, fields, takeLinks, siteEvidence, takeNotes } = page;
  const content = { html, url, contentLanguage, ...pickContentOptions(page), elements };
  return { ...content, fields, takeLinks, siteEvidence, takeNotes };
}
