import type { Extraction } from '@winnow/extract';
import { AppError } from '../domain/errors.ts';
import type { PageDrawer, PageDrawing } from '../domain/inspection/draw-page.ts';
import type { CaptureVerdict, Extractor, ExtractInput, HtmlFilter, StageBudget } from '../domain/ports.ts';
import type { ShellJudgeThread, ShellPage } from '../domain/shells/judge-shell.ts';
import type { Drawn } from './worker.ts';
import type { WorkerPool } from './worker-pool.ts';

/** How long a probe's answer holds, in idle timeouts: an idle thread ends sooner, or probes would keep it alive. */
const PROBE_REUSE = 1.5;

/** `packages/extract`, and what else would hold up the event loop, in worker threads. */
export class WorkerExtractor implements Extractor, HtmlFilter, PageDrawer, ShellJudgeThread {
  readonly #pool: WorkerPool;
  readonly #now: () => number;
  /** The last round trip of a probe that was answered. */
  #answered: { readonly at: number; readonly answer: string } | undefined;

  /** @param now milliseconds on a clock that only goes forward */
  constructor(pool: WorkerPool, now: () => number = () => performance.now()) {
    this.#pool = pool;
    this.#now = now;
  }

  async extract(input: ExtractInput, budget: StageBudget): Promise<Extraction> {
    const { html, url, contentLanguage, formats, favor, hiddenText } = input;
    return this.#pool.run('extractPage', { html, url, contentLanguage, formats, favor, hiddenText }, 'extract', budget);
  }

  async removeScriptsAndStyles(html: string, budget: StageBudget): Promise<string> {
    return this.#pool.run('filterHtml', html, 'snapshot', budget);
  }

  async judgeShell(page: ShellPage, budget: StageBudget): Promise<CaptureVerdict> {
    return this.#pool.run('judgeShell', page, 'fetch', budget);
  }

  async draw(drawing: PageDrawing, budget: StageBudget): Promise<string> {
    const drawn = await this.#pool.run<Drawn>('drawStoredPage', drawing, 'extract', budget);
    if (drawn.page === undefined) throw new AppError('payload_too_large', drawn.refusal);
    return drawn.page;
  }

  /**
   * One round trip through a thread, for the readiness check; its answer holds for a while. Where threads have worked
   * before and none is left for want of work, none is started: probes would keep its memory for ever. Where all of them
   * are at work the probe does not wait for its turn: a long page is no fault, and its budget ends it.
   */
  async check(): Promise<string> {
    if (this.#answered && this.#pool.state.isFull) return 'every thread is at work';
    if (this.#answered && this.#pool.state.threads === 0) return 'no page for a while; a thread starts with the next';
    if (this.#answered && this.#now() - this.#answered.at < PROBE_REUSE * this.#pool.idleTimeoutMs)
      return this.#answered.answer;
    const budget = { timeoutMs: 5000, signal: new AbortController().signal };
    const answer = await this.#pool.run<string>('checkSelf', null, 'extract', budget);
    this.#answered = { at: this.#now(), answer };
    return answer;
  }
}
