import type { TaughtSite } from '@winnow/extract/matching';
import type { OutlinedBlock } from '@winnow/extract/templates';
import type { ExtractInput } from '../domain/extraction/extraction-ports.ts';
import type { StageBudget } from '../domain/shared/ports.ts';
import type {
  AppliedPage,
  GatheredEvidence,
  PageMarks,
  TemplateSource,
  TemplateWorker,
  TriedPage,
} from '../domain/templates/template-ports.ts';
import type { MarkTask, TemplateTask } from './template-tasks.ts';
import { copyInput } from './worker-extractor.ts';
import type { WorkerPool } from './worker-pool.ts';

export class WorkerTemplates implements TemplateWorker {
  readonly #pool: WorkerPool;

  constructor(pool: WorkerPool) {
    this.#pool = pool;
  }

  async apply(page: ExtractInput, template: TemplateSource, budget: StageBudget): Promise<AppliedPage> {
    return this.#pool.run('applySiteTemplate', toTask(page, template), 'extract', budget);
  }

  async try(page: ExtractInput, template: TemplateSource, budget: StageBudget): Promise<TriedPage> {
    return this.#pool.run('trySiteTemplate', toTask(page, template), 'validate', budget);
  }

  async gather(notes: readonly string[], budget: StageBudget): Promise<GatheredEvidence | undefined> {
    return (
      (await this.#pool.run<GatheredEvidence | null>('gatherSiteEvidence', notes, 'generate', budget)) ?? undefined
    );
  }

  async outline(
    { html, url }: Pick<ExtractInput, 'html' | 'url'>,
    taught: TaughtSite | undefined,
    budget: StageBudget,
  ): Promise<OutlinedBlock[]> {
    return this.#pool.run('outlineSitePage', { html, url, taught }, 'extract', budget);
  }

  async mark(html: string, marks: MarkTask['marks'], budget: StageBudget): Promise<PageMarks> {
    return this.#pool.run('markSitePage', { html, marks }, 'extract', budget);
  }
}

function toTask(page: ExtractInput, { name, json }: TemplateSource): TemplateTask {
  return { page: copyInput(page), template: { name, json } };
}
