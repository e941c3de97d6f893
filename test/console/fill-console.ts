import type { Page } from 'playwright-core';
import type { RunningConsole } from './start-console.ts';

/** Ids of the data that the pages show. */
export interface Filled {
  readonly projectId: string;
  /** Snapshots of articles, and of the hostile page. */
  readonly domIds: readonly string[];
  readonly hostileId: string;
  /** Ids of a request that succeeded and of one that failed. */
  readonly requestId: string;
  readonly failedRequestId: string;
  /** A batch that has ended, with items of both outcomes. */
  readonly batchId: string;
  /** Name of the active version of a template for the articles. */
  readonly template: string;
}

/** A template for the articles of the test site, with a mistake: the author's selector matches the whole line. */
export const TEMPLATE = {
  format: 1,
  hosts: ['127.0.0.1'],
  url_shapes: [],
  signature: null,
  fields: {
    title: { selectors: [{ css: 'h1.headline' }] },
    author: { selectors: [{ css: '.byline' }] },
    publish_time: { selectors: [{ css: 'time[datetime]', attribute: 'datetime' }] },
  },
  content: { include: [{ css: 'div.body' }], exclude: [], exclude_text: [] },
  custom: [],
  invariants: { required: ['title', 'main_text'], main_text_words: null },
  provenance: { source: 'hand', note: 'written for a test' },
} as const;

/** Imports and activates {@link TEMPLATE}; returns its name. */
export async function addTemplate(page: Page): Promise<string> {
  const { template } = await callAdmin<{ template: { name: string } }>(page, 'POST', '/templates', TEMPLATE);
  await callAdmin(page, 'POST', `/templates/${template.name}/activate`);
  return template.name;
}

/** Calls the admin API with the session of a page. */
export async function callAdmin<T>(page: Page, method: string, path: string, body?: object): Promise<T> {
  return page.evaluate(
    async ({ method: verb, path: address, body: content }) => {
      const session = (await (await fetch('/admin/v1/session')).json()) as { csrf_token: string };
      const headers: Record<string, string> = { 'x-csrf-token': session.csrf_token };
      if (content !== undefined) headers['content-type'] = 'application/json';
      const init: RequestInit = { method: verb, headers };
      if (content !== undefined) init.body = JSON.stringify(content);
      const response = await fetch(`/admin/v1${address}`, init);
      return (await response.json()) as unknown;
    },
    { method, path, body },
  ) as Promise<T>;
}

/** Fills a fresh console with pages, keys and members, so that every page has something to show. */
export async function fillConsole(page: Page, { site, service }: RunningConsole): Promise<Filled> {
  const { project } = await callAdmin<{ project: { id: string } }>(page, 'POST', '/projects', { name: 'Valley news' });
  const base = `/projects/${project.id}`;
  const domIds: string[] = [];
  for (const path of ['/news/1', '/news/2', '/news/3', '/news/4']) {
    const body = { extract: { url: `${site.origin}${path}` } };
    const answer = await callAdmin<{ metadata: { dom_id: string } }>(page, 'POST', `${base}/extract`, body);
    domIds.push(answer.metadata.dom_id);
  }
  await callAdmin(page, 'POST', `${base}/extract`, { extract: { url: 'http://127.0.0.1:9/' } });
  const options = { engine_preference: 'http' };
  const hostile = await callAdmin<{ dom_id: string }>(page, 'POST', `${base}/dump`, {
    url: `${site.origin}/hostile`,
    options,
  });
  const { secret } = await callAdmin<{ secret: string }>(page, 'POST', `${base}/keys`, { name: 'Nightly import' });
  const post = <T>(path: string, body: object) =>
    callApi<T>(service.url + path, { key: secret, project: project.id }, body);
  const extract = async (path: string): Promise<string> => {
    const body = { extract: { url: site.origin + path, formats: ['markdown'] }, trace: { include_steps: true } };
    return (await post<{ request_id: string }>('/v1/extract', body)).request_id;
  };
  const requestId = await extract('/news/1');
  const failedRequestId = await extract('/gone');
  const urls = ['/news/1', '/news/2', '/gone', '/news/3', '/news/4'].map((path) => site.origin + path);
  const { batch } = await post<{ batch: { id: string } }>('/v1/batches', { urls, formats: ['markdown'] });
  await callAdmin(page, 'POST', `${base}/keys`, { name: 'Partner', kind: 'key_only', quota_per_minute: 30 });
  await callAdmin(page, 'POST', '/invitations', {
    email: 'ines@example.com',
    role: 'member',
    project_ids: [project.id],
  });
  const template = await addTemplate(page);
  await waitFor(page, `${base}/requests/${failedRequestId}`, ({ request }) => Boolean(request));
  await waitFor(page, `${base}/batches/${batch.id}`, (answer) => answer.batch?.state === 'completed');
  const ids = { requestId, failedRequestId, batchId: batch.id };
  return { projectId: project.id, domIds, hostileId: hostile.dom_id, ...ids, template };
}

/** The fields that callers of {@link waitFor} check; absent in errors. */
interface AdminAnswer {
  readonly request?: object;
  readonly batch?: { readonly state: string };
  readonly items?: readonly object[];
}

/** Calls the public API. */
async function callApi<T>(
  url: string,
  { key, project }: { readonly key: string; readonly project: string },
  body: object,
): Promise<T> {
  const headers = { 'content-type': 'application/json', 'x-api-key': key, 'x-project-id': project };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await answer.json()) as T;
}

/** Polls a path of the admin API until its answer is ready. */
export async function waitFor(page: Page, path: string, isReady: (answer: AdminAnswer) => boolean): Promise<void> {
  while (!isReady(await callAdmin<AdminAnswer>(page, 'GET', path))) await page.waitForTimeout(100);
}
