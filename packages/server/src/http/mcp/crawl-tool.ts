import { setTimeout as sleep } from 'node:timers/promises';
import { crawlToolInput, type BatchLine, type McpToolOptions } from '@winnow/contract';
import type { z } from 'zod';
import {
  cancelBatch,
  checkEarlierCrawl,
  createBatch,
  readBatch,
  readResults,
  requireCrawl,
  type CountedBatch,
} from '../../domain/batches/batches.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { presentBatch } from '../answers/present.ts';
import { toCrawlCommand, type BatchRouteDeps } from '../routes/batch-routes.ts';
import { cutLine, cutText, type Tool, type ToolAnswer, type ToolCall } from './mcp-tool.ts';

type Input = ReturnType<typeof crawlToolInput>;
type Args = z.output<Input>;

const POLL_MS = 500;

/** Pages of one answer, however short. */
const MAX_PAGES = 200;

export function describeCrawl(
  deps: BatchRouteDeps,
  settings: McpToolOptions & { readonly maxWaitMs: number },
): Tool<Input> {
  return {
    name: 'crawl',
    title: 'Crawl a site',
    description:
      'Reads the pages of a site by following its links. With url it starts a crawl, waits for it and returns its pages with the beginning of their text; with crawl_id it returns the state of a crawl and further pages. A crawl goes on after the call.',
    isOpenWorld: true,
    input: crawlToolInput(settings),
    prepare: async (args, call) => {
      const start = await prepareStart(deps, args, call);
      return async () => {
        const id = await call.admit(settings.maxWaitMs, start);
        const crawl = await waitForPages(deps, id, args, call);
        return presentCrawl(crawl, await readPages(deps, id, args, call));
      };
    },
  };
}

/** @returns work that starts or finds the crawl, and returns its id */
async function prepareStart(deps: BatchRouteDeps, args: Args, call: ToolCall): Promise<() => Promise<string>> {
  const { url, crawl_id: crawlId, cancel } = args;
  const { projectId, key } = call;
  if ((url === undefined) === (crawlId === undefined))
    throw new AppError('invalid_request', 'arguments: needs either url or crawl_id');
  if (crawlId !== undefined) {
    await requireCrawl(deps, projectId, crawlId);
    return async () => {
      if (cancel) await cancelBatch(deps, projectId, crawlId);
      return crawlId;
    };
  }
  const { limit, max_depth, include, exclude, scope, since } = args;
  if (since !== undefined) await checkEarlierCrawl(deps.earlier, projectId, since);
  const body = { url: url ?? '', limit, max_depth, include, exclude, scope, since };
  const options = { formats: ['markdown' as const], respectRobots: true };
  const common = { projectId, key, idempotencyKey: null, options, webhook: null, trace: null };
  const command = toCrawlCommand(body, common, deps);
  return async () => {
    const { batch } = await createBatch(deps, command);
    deps.onBatch();
    return batch.id;
  };
}

/** Waits without a slot: the pages of the crawl need them. */
async function waitForPages(
  deps: BatchRouteDeps,
  id: string,
  { after, wait_ms: waitMs }: Args,
  call: ToolCall,
): Promise<CountedBatch> {
  const { projectId, workflow } = call;
  const until = performance.now() + waitMs;
  let told = '';
  for (;;) {
    const crawl = await readBatch(deps, projectId, id);
    const { done, failed } = crawl.counts;
    const message = `${done + failed} of ${crawl.batch.total} pages found are read`;
    if (message !== told) call.report(message);
    told = message;
    // The counts are read after the state: they may be complete while it still says that the crawl runs.
    const isOver = crawl.batch.state !== 'running';
    const next = after < 0 ? undefined : await deps.batches.firstUnfinished(id);
    if (isOver || (next !== undefined && next > after + 1) || performance.now() >= until) return crawl;
    await sleep(Math.min(POLL_MS, until - performance.now()), undefined, { signal: workflow.signal }).catch(() => {
      throw workflow.signal.reason;
    });
  }
}

interface Pages {
  readonly text: string;
  /** Index of the last one, or where to begin. */
  readonly last: number;
  /** More finished pages follow. */
  readonly isFull: boolean;
}

async function readPages(deps: BatchRouteDeps, id: string, args: Args, { projectId }: ToolCall): Promise<Pages> {
  const { after, page_chars: pageChars, max_chars: maxChars } = args;
  const range = { after, limit: MAX_PAGES + 1, isPage: true };
  let text = '';
  let last = after;
  let count = 0;
  for await (const line of await readResults(deps, projectId, id, range)) {
    const page = JSON.parse(line) as BatchLine;
    const block = cutText(presentPage(page, pageChars), 0, maxChars).content;
    const isFull = count === MAX_PAGES || (count > 0 && text.length + block.length + 2 > maxChars);
    if (isFull) return { text, last, isFull };
    text += `${count === 0 ? '' : '\n\n'}${block}`;
    last = page.index;
    count += 1;
  }
  return { text, last, isFull: false };
}

function presentPage({ index, url, result, metadata, error, change }: BatchLine, maxChars: number): string {
  const about = [
    `[${index}] ${cutLine(result?.title ?? null) ?? ''}`.trim(),
    cutLine(url ?? null),
    ...(metadata === undefined ? [] : [`dom_id ${metadata.dom_id}`]),
    ...(change === undefined ? [] : [change.state]),
    ...(error === undefined ? [] : [`${error.code}: ${cutLine(error.message)}`]),
  ].join(' | ');
  const content = change?.diff ?? result?.markdown ?? '';
  return maxChars === 0 || content === '' ? about : `${about}\n${cutText(content, 0, maxChars).content}`;
}

function presentCrawl(crawl: CountedBatch, { text, last, isFull }: Pages): ToolAnswer {
  const { id, state, total, counts, crawl: found } = presentBatch(crawl);
  const isWhole = !isFull && counts.queued + counts.running === 0;
  return {
    facts: {
      crawl_id: id,
      state,
      found: total,
      done: counts.done,
      failed: counts.failed,
      skipped: withoutZeros(found?.skipped),
      changes: withoutZeros(found?.changes),
      next_after: isWhole ? undefined : last,
    },
    text,
  };
}

function withoutZeros(numbers: Readonly<Record<string, number>> | null | undefined): object | undefined {
  const some = Object.entries(numbers ?? {}).filter(([, count]) => count > 0);
  return some.length === 0 ? undefined : Object.fromEntries(some);
}
