/** Protocol of Open WebUI's external web loader: `POST /web-loader`. */
import { API_OPERATIONS, facadeStatusOf, withScheme } from '@winnow/contract';
import type { StageDetails, WebLoaderResponse } from '@winnow/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/shared/errors.ts';
import type { ExtractedPage } from '../../domain/extraction/extract-page.ts';
import { Workflow, extendStep, findStep, type Step } from '../../domain/shared/workflow.ts';
import { codeDoubts } from '../answers/present.ts';
import { createErrorSender, type ErrorAnswer } from '../answers/send-error.ts';
import { addOperations, type Work } from '../routes/add-operations.ts';
import { requireAllowed } from '../requests/authenticate-request.ts';
import { requireKey, requireWorkflow } from '../requests/request-context.ts';
import { preparePage, presentForClient, extractForKey, type FacadeDeps } from './extract-for-key.ts';

/** Concurrent pages of one request. */
const AT_A_TIME = 4;

interface LoadedPage {
  readonly url: string;
  readonly page?: ExtractedPage;
  readonly failure?: AppError;
  readonly steps: readonly Step[];
}

/**
 * Adds `POST /web-loader`. Each page uses the key's quota. The protocol cannot report failed pages: they are only in
 * the trace, unless all fail.
 */
export function addWebLoader(scope: FastifyInstance, deps: FacadeDeps): void {
  scope.setErrorHandler(createErrorSender(presentFailure));
  const loadWebPages: Work<(typeof API_OPERATIONS)['open-webui']['loadWebPages']> = async ({ request, readBody }) => {
    const workflow = requireWorkflow(request);
    const urls = await workflow.run('request', {}, () => {
      const body = readBody();
      request.acceptedBody = { url: body.urls[0], ...body };
      return body.urls;
    });
    const loaded = await loadAll(urls, (url, index) => loadPage(request, deps, url, index));
    extendStep(workflow, 'request', { pages: loaded.map(describePage) });
    const stored = loaded.find(({ page }) => page !== undefined)?.steps;
    const snapshot = stored && findStep(stored, 'snapshot');
    if (snapshot) workflow.record(snapshot);
    const pages = loaded.flatMap(({ url, page }) => (page === undefined ? [] : [presentPage(url, page)]));
    const failure = loaded.find((one) => one.failure !== undefined)?.failure;
    if (pages.length === 0 && failure !== undefined) throw failure;
    return pages;
  };
  addOperations(scope, API_OPERATIONS['open-webui'], { loadWebPages }, deps.settings);
}

/** Loads pages concurrently; returns them in the order of the URLs. */
async function loadAll(
  urls: readonly string[],
  load: (url: string, index: number) => Promise<LoadedPage>,
): Promise<LoadedPage[]> {
  const loaded: LoadedPage[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < urls.length; index = next++) loaded[index] = await load(urls[index] ?? '', index);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return loaded;
}

async function loadPage(request: FastifyRequest, deps: FacadeDeps, url: string, index: number): Promise<LoadedPage> {
  const workflow = new Workflow({ signal: requireWorkflow(request).signal });
  try {
    // Authentication counted the first page.
    if (index > 0) await takeOne(request, deps);
    const prepared = await workflow.run('request', {}, () =>
      preparePage(request, deps, { url: withScheme(url), formats: ['markdown'] }),
    );
    const page = await extractForKey(request, deps, prepared, workflow);
    return { url, page, steps: workflow.steps };
  } catch (error) {
    if (!(error instanceof AppError) || workflow.signal.aborted) throw error;
    return { url, failure: error, steps: workflow.steps };
  }
}

async function takeOne(request: FastifyRequest, { settings }: FacadeDeps): Promise<void> {
  const state = await settings.quota.take(requireKey(request));
  if (state) requireAllowed(state);
}

function describePage({ url, page, failure }: LoadedPage): NonNullable<StageDetails['request']['pages']>[number] {
  const known = { url: url.slice(0, 200), dom_id: page?.snapshot.domId };
  return failure === undefined ? known : { ...known, error: failure.code };
}

function presentPage(url: string, page: ExtractedPage): WebLoaderResponse[number] {
  const { extraction, snapshot, templateId } = page;
  const { title, description, language, author, publishTime } = extraction;
  const doubts = codeDoubts(page);
  return {
    page_content: (extraction.markdown ?? extraction.mainText).trim(),
    metadata: {
      source: url,
      url: snapshot.finalUrl,
      title,
      description,
      language,
      author,
      publish_time: publishTime,
      dom_id: snapshot.domId,
      template_id: templateId,
      confidence: extraction.confidence,
      // A vector store takes no lists.
      ...(doubts === '' ? {} : { warnings: doubts }),
    },
  };
}

/** The client shows only the status; `detail` is for people. */
function presentFailure(failure: AppError, request: FastifyRequest): ErrorAnswer {
  const error = presentForClient(failure, { url: 'urls' });
  return { status: facadeStatusOf(failure.code), body: { detail: error.message, request_id: request.id, error } };
}
