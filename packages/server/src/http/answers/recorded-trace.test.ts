import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import type { Extraction } from '@winnow/extract';
import type { Capture } from '../../domain/capture/capture-ports.ts';
import { CaptureError } from '../../domain/capture/capture-error.ts';
import { describeRedirects } from '../../domain/capture/describe-capture.ts';
import { extractPage, prepareExtract } from '../../domain/extraction/extract-page.ts';
import type { ExtractPageDeps } from '../../domain/extraction/extract-page.ts';
import type { TemplateProvider } from '../../domain/extraction/extraction-ports.ts';
import { Workflow } from '../../domain/shared/workflow.ts';
import { presentTrace } from './present.ts';

const TEXT = 'Some text of a page. '.repeat(20);

const EXTRACTION: Extraction = {
  title: 'Title',
  description: null,
  mainText: TEXT,
  publishTime: null,
  author: null,
  language: 'en',
  links: [],
  images: [],
  pageType: 'article',
  confidence: 0.9,
  warnings: [],
  tokenEstimate: 1,
  evidence: {
    title: { source: 'h1', rivals: [{ source: 'title', value: 'x'.repeat(300), reason: 'shorter' }] },
    publish_time: { source: null, rivals: [] },
  },
};

const CAPTURE: Capture = {
  engine: 'stable',
  finalUrl: 'https://example.com/b',
  statusCode: 200,
  fetchedAt: new Date(0),
  html: `<title>Title</title><p>${TEXT}`,
  contentType: 'text/html',
  charset: null,
  contentLanguage: null,
  redirects: [{ url: 'https://example.com/a', statusCode: 301 }],
  protocol: 'h2',
  transferBytes: 10,
  bodyBytes: 20,
  timings: { queue: 1, host_wait: 2 },
  blockedRequests: [{ url: 'http://10.0.0.1/', reason: 'it is a private address' }],
  partial: true,
  attempts: [
    { engine: 'http', outcome: 'rejected', reason: 'a shell', errorCode: null, elapsedMs: 5 },
    { engine: 'vendor_lite', outcome: 'failed', reason: 'too late', errorCode: 'fetch_timeout', elapsedMs: 6 },
    { engine: 'stable', outcome: 'captured', reason: null, errorCode: null, elapsedMs: 7 },
  ],
};

const TEMPLATES: TemplateProvider = {
  match: async () => ({
    template: { id: 'generic:v1', apply: async () => ({ extraction: EXTRACTION, templateId: 'generic:v1' }) },
    candidates: [{ templateId: 'tpl_1:v1', score: 0, reason: 'the structure is too far' }],
    generate: 'the generic extractor failed on the last 3 pages',
  }),
  generate: async () => ({
    id: 'tpl_2:v1',
    apply: async () => ({ extraction: EXTRACTION, templateId: 'generic:v1', fallback: 'tpl_2:v1 does not hold' }),
  }),
};

function depsOf(capture: () => Promise<Capture>): ExtractPageDeps {
  return {
    templates: TEMPLATES,
    fetchTimeoutMs: 1000,
    minConfidence: 0.1,
    snapshots: { find: async () => undefined, findReusable: async () => undefined, insert: async () => undefined },
    content: { put: async () => ({ hash: 'h', bytes: 3, storedBytes: 2 }), get: async () => undefined },
    fetcher: { capture },
    filter: { removeScriptsAndStyles: async (html) => html, pickElements: async (html) => html },
    extractor: { extract: () => assert.fail('not used here') },
    judgeHtml: () => assert.fail('not used here'),
    projectEgress: new Map(),
    requestProxies: new Set(),
    storage: { limitBytes: undefined, requireRoom: async () => undefined },
    urlPolicy: { checkUrl: () => undefined },
  };
}

async function traceOf(capture: () => Promise<Capture>): Promise<string> {
  const flow = new Workflow({ signal: new AbortController().signal, now: () => 0 });
  const command = {
    projectId: 'prj_1',
    url: 'https://example.com/a',
    domId: undefined,
    formats: [],
    matchTimeoutMs: 1000,
    generateTimeoutMs: 1000,
    extractTimeoutMs: 1000,
  };
  const deps = depsOf(capture);
  await extractPage(deps, await prepareExtract(deps, command), flow).catch(() => undefined);
  return JSON.stringify(presentTrace(flow.steps, 'vendor'), null, 1).replace(/dom_[0-9A-Z]{26}/g, 'dom_0');
}

const FILE = new URL('testing/recorded-trace.json', import.meta.url);
const seen: Record<string, unknown> = {};

/** Compares byte for byte with the recording; `RECORD_TRACES=1` records again. */
function assertRecorded(name: string, trace: string): void {
  seen[name] = JSON.parse(trace);
  if (process.env['RECORD_TRACES'] === '1') return;
  const recorded = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, unknown>;
  assert.equal(trace, JSON.stringify(recorded[name], null, 1));
}

after(() => {
  if (process.env['RECORD_TRACES'] === '1') writeFileSync(FILE, `${JSON.stringify(seen, null, 2)}\n`);
});

test('the trace of a page with redirects, several engines, a generated template and a fallback matches the recording', async () => {
  assertRecorded('captured', await traceOf(async () => CAPTURE));
});

test('the trace of a failed capture contains its page and the attempts of engines', async () => {
  const failing = async (): Promise<never> => {
    throw new CaptureError('http_status_not_ok', 'the target answered with status 404', {
      capture: { ...CAPTURE, statusCode: 404 },
      attempts: CAPTURE.attempts,
      upstreamStatusCode: 404,
      details: { status_code: 404 },
    });
  };
  assertRecorded('failed', await traceOf(failing));
});

test('the trace of a capture without a page contains the attempts, the error and its details, in this order', async () => {
  const failing = async (): Promise<never> => {
    const details = { redirects: describeRedirects(CAPTURE.redirects) };
    throw new CaptureError('too_many_redirects', 'too many', { attempts: CAPTURE.attempts.slice(0, 1), details });
  };
  assertRecorded('without a page', await traceOf(failing));
});
