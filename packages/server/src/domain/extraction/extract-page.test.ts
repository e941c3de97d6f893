import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Extraction } from '@winnow/extract';
import { AppError } from '../shared/errors.ts';
import { extractPage } from './extract-page.ts';
import type { ExtractPageDeps, PreparedExtract } from './extract-page.ts';
import type { Capture } from '../capture/capture-ports.ts';
import type { SnapshotRow } from '../storage/snapshot-ports.ts';
import type { ExtractionTemplate, TemplateProvider } from './extraction-ports.ts';
import { Workflow, findDomId, findStep } from '../shared/workflow.ts';

const EXTRACTION: Extraction = {
  title: 'Title',
  description: null,
  mainText: 'Some text of a page.',
  publishTime: '2024-05-06',
  author: null,
  language: 'en',
  links: [{ url: 'https://example.com/a', text: 'a', rel: null, internal: true, in_main: true }],
  images: [],
  pageType: 'article',
  confidence: 0.9,
  evidence: {},
  warnings: [],
  tokenEstimate: 1,
};

const ROW: SnapshotRow = {
  domId: 'dom_1',
  projectId: 'prj_1',
  hash: 'h',
  bytes: 10,
  storedBytes: 5,
  url: 'https://example.com/',
  finalUrl: 'https://example.com/',
  statusCode: 200,
  engine: 'http',
  fetchedAt: new Date(0),
  contentType: null,
  contentLanguage: null,
  filtered: false,
  title: null,
};

const COMMAND: PreparedExtract = {
  target: undefined,
  projectId: 'prj_1',
  url: undefined,
  domId: 'dom_1',
  formats: [],
  matchTimeoutMs: 50,
  generateTimeoutMs: 50,
  extractTimeoutMs: 50,
};

const forever = () => new Promise<never>(() => undefined);

function templateOf(extraction: Partial<Extraction>, id = 'tpl_1:v1'): ExtractionTemplate {
  return { id, apply: async () => ({ extraction: { ...EXTRACTION, ...extraction }, templateId: id }) };
}

function matching(template: ExtractionTemplate, generate?: string): TemplateProvider {
  const match = { template, candidates: [], ...(generate === undefined ? {} : { generate }) };
  return { match: async () => match, generate: async () => undefined };
}

/** In-memory ports; the stages before the match only read a stored snapshot. */
function depsOf(templates: TemplateProvider): ExtractPageDeps {
  const unused = (): never => assert.fail('not used here');
  return {
    templates,
    fetchTimeoutMs: 1000,
    minConfidence: 0.1,
    snapshots: { find: async () => ROW, findReusable: unused, insert: unused },
    content: { get: async () => '<p>Some text of a page.' } as unknown as ExtractPageDeps['content'],
    fetcher: { capture: unused },
    filter: { removeScriptsAndStyles: unused, pickElements: unused },
    extractor: { extract: () => assert.fail('not used here') },
    judgeHtml: async () => undefined,
    projectEgress: new Map(),
    requestProxies: new Set(),
    storage: { limitBytes: undefined, requireRoom: async () => undefined },
    urlPolicy: { checkUrl: unused },
  };
}

async function runFailing(templates: TemplateProvider): Promise<{ error: AppError; failed: string[] }> {
  const flow = new Workflow({ signal: new AbortController().signal });
  const error = await extractPage(depsOf(templates), COMMAND, flow).then(
    () => assert.fail('no error'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AppError);
  assert.equal(findDomId(flow.steps), 'dom_1');
  return { error, failed: flow.steps.filter(({ status }) => status === 'failed').map(({ stage }) => stage) };
}

test('a matched template is used, and generation is skipped', async () => {
  const flow = new Workflow({ signal: new AbortController().signal });
  const page = await extractPage(depsOf(matching(templateOf({}))), COMMAND, flow);
  assert.equal(page.templateId, 'tpl_1:v1');
  assert.equal(flow.steps.find(({ stage }) => stage === 'generate')?.status, 'skipped');
});

test('the result names the template used and why the first choice was dropped', async () => {
  const fallback: ExtractionTemplate = {
    id: 'tpl_1:v1',
    apply: async () => ({ extraction: EXTRACTION, templateId: 'generic:v1', fallback: 'the title is missing' }),
  };
  const flow = new Workflow({ signal: new AbortController().signal });
  const page = await extractPage(depsOf(matching(fallback)), COMMAND, flow);
  assert.equal(page.templateId, 'generic:v1');
  assert.equal(findStep(flow.steps, 'extract')?.detail.fallback, 'the title is missing');
});

test('a generated template replaces the matched one', async () => {
  const templates: TemplateProvider = {
    ...matching(templateOf({}, 'generic:v1'), 'the site was met three times'),
    generate: async () => templateOf({ title: 'Learned' }, 'tpl_2:v1'),
  };
  const flow = new Workflow({ signal: new AbortController().signal });
  const page = await extractPage(depsOf(templates), COMMAND, flow);
  assert.deepEqual([page.templateId, page.extraction.title], ['tpl_2:v1', 'Learned']);
});

test('match_timeout, generate_timeout and extract_timeout end their stage', async () => {
  const slowMatch: TemplateProvider = { ...matching(templateOf({})), match: forever };
  const slowGenerate: TemplateProvider = { ...matching(templateOf({}), 'wanted'), generate: forever };
  const slowExtract = matching({ id: 'tpl_1:v1', apply: forever });
  for (const [templates, stage] of [
    [slowMatch, 'match'],
    [slowGenerate, 'generate'],
    [slowExtract, 'extract'],
  ] as const) {
    const { error, failed } = await runFailing(templates);
    assert.deepEqual([error.code, error.stage, failed], [`${stage}_timeout`, stage, [stage]]);
  }
});

test('missing or poor content fails the match stage with no_template_matched', async () => {
  for (const nothing of [{ mainText: ' \n' }, { confidence: 0.05 }]) {
    const { error, failed } = await runFailing(matching(templateOf(nothing)));
    assert.deepEqual([error.code, error.stage, failed], ['no_template_matched', 'match', ['match']]);
  }
});

const invalid: readonly (readonly [field: RegExp, extraction: Partial<Extraction>])[] = [
  [/publish_time is not a date: yesterday/, { publishTime: 'yesterday' }],
  [/publish_time is not a date: 2024-13-40/, { publishTime: '2024-13-40' }],
  [/language is not a BCP 47 tag/, { language: 'English (US)' }],
  [/title has more than/, { title: 'x'.repeat(20_000) }],
  [
    /links\[1\]\.url is not absolute/,
    { links: [...EXTRACTION.links, { ...EXTRACTION.links[0], url: '/b' } as Extraction['links'][number]] },
  ],
  [
    /images\[0\]\.url is not absolute/,
    { images: [{ url: 'x.png', alt: null, width: null, height: null, in_main: true }] },
  ],
  [/confidence is NaN/, { confidence: Number.NaN }],
];
test('invalid output is validation_failed and names the field', async () => {
  for (const [message, extraction] of invalid) {
    const { error, failed } = await runFailing(matching(templateOf(extraction)));
    assert.deepEqual([error.code, failed], ['validation_failed', ['validate']]);
    assert.match(error.message, message);
  }
});

const CAPTURE: Capture = {
  engine: 'http',
  finalUrl: 'https://example.com/',
  statusCode: 200,
  fetchedAt: new Date(0),
  html: '<p>Some text of a page.',
  contentType: 'text/html',
  charset: 'utf-8',
  contentLanguage: null,
  redirects: [],
  protocol: 'http/1.1',
  transferBytes: 22,
  bodyBytes: 22,
  timings: {},
  blockedRequests: [],
  partial: false,
  attempts: [],
};

/** Extracts a fetched page that is stored when `written` resolves. */
function extractFetched(template: ExtractionTemplate, written: Promise<unknown>, attempts: Capture['attempts'] = []) {
  const flow = new Workflow({ signal: new AbortController().signal });
  const put = async () => {
    await written;
    return { hash: 'h', bytes: 22, storedBytes: 5 };
  };
  const deps: ExtractPageDeps = {
    ...depsOf(matching(template)),
    fetcher: { capture: async () => ({ ...CAPTURE, attempts }) },
    urlPolicy: { checkUrl: () => undefined },
    content: { put } as unknown as ExtractPageDeps['content'],
    snapshots: { insert: async () => undefined } as unknown as ExtractPageDeps['snapshots'],
  };
  const url = 'https://example.com/';
  const command = { ...COMMAND, domId: undefined, url, target: { given: url, url: new URL(url), options: {} } };
  return { flow, answer: extractPage(deps, command, flow) };
}

test('a fetched page is extracted while it is stored, and the answer waits for both', async () => {
  const written = Promise.withResolvers<void>();
  const extracted = Promise.withResolvers<void>();
  const template = templateOf({});
  const observed: ExtractionTemplate = {
    id: template.id,
    apply: async (page, budget) => {
      extracted.resolve();
      return template.apply(page, budget);
    },
  };
  const { flow, answer } = extractFetched(observed, written.promise);
  await extracted.promise;
  while (!flow.steps.some(({ stage }) => stage === 'validate')) await nextTurn();
  assert.deepEqual([flow.steps.some(({ stage }) => stage === 'validate'), findDomId(flow.steps)], [true, undefined]);
  written.resolve();
  const { snapshot } = await answer;
  assert.equal(snapshot.domId, findDomId(flow.steps));
});

test('an extracted page that cannot be stored is an error', async () => {
  const { answer } = extractFetched(templateOf({}), Promise.reject(new Error('the disk is gone')));
  await assert.rejects(answer, { code: 'internal', stage: 'snapshot' });
});

test('a failed extraction names its snapshot', async () => {
  const written = Promise.withResolvers<void>();
  const { flow, answer } = extractFetched(templateOf({ mainText: '' }), written.promise);
  setTimeout(written.resolve, 20);
  await assert.rejects(answer, { code: 'no_template_matched' });
  assert.match(findDomId(flow.steps) ?? '', /^dom_/);
});

test('an empty page may be tried again if an engine failed for a passing reason', async () => {
  const failed = { engine: 'chrome', outcome: 'failed', reason: 'the browser ended', elapsedMs: 9 } as const;
  for (const [errorCode, retryable] of [
    ['engine_unavailable', true],
    ['tls_failed', false],
  ] as const) {
    const { answer } = extractFetched(templateOf({ mainText: '' }), Promise.resolve(), [{ ...failed, errorCode }]);
    await assert.rejects(answer, { code: 'no_template_matched', retryable });
  }
});

test('evidence is built before a judged capture is extracted, which happens once', async () => {
  const flow = new Workflow({ signal: new AbortController().signal });
  const built = '{"version":1,"pages":2,"texts":[],"paths":[]}';
  const extracted: unknown[] = [];
  const applied: unknown[] = [];
  const made: ExtractionTemplate = {
    ...templateOf({}, 'tpl_2:v1'),
    site: { siteEvidence: built },
    apply: async ({ extraction }) => {
      applied.push(extraction);
      return { extraction: extraction ?? EXTRACTION, templateId: 'tpl_2:v1' };
    },
  };
  const judged: Extraction = { ...EXTRACTION, mainText: 'word '.repeat(50) };
  const deps: ExtractPageDeps = {
    ...depsOf({ ...matching(templateOf({}, 'generic:v1'), '2 other pages are known'), generate: async () => made }),
    fetcher: {
      async capture(_, { judge, signal }) {
        await judge?.(CAPTURE, { signal, timeoutMs: 1000 });
        return { ...CAPTURE, attempts: [] };
      },
    },
    judgeHtml: async () => undefined,
    extractor: {
      async extract({ siteEvidence }) {
        extracted.push(siteEvidence);
        return judged;
      },
    },
    urlPolicy: { checkUrl: () => undefined },
    content: { put: async () => ({ hash: 'h', bytes: 1, storedBytes: 1 }) } as unknown as ExtractPageDeps['content'],
    snapshots: { insert: async () => undefined } as unknown as ExtractPageDeps['snapshots'],
  };
  const url = 'https://example.com/';
  const target = { given: url, url: new URL(url), options: {} };
  const page = await extractPage(deps, { ...COMMAND, domId: undefined, url, target }, flow);
  assert.equal(page.templateId, 'tpl_2:v1');
  assert.deepEqual([extracted, applied], [[built], [judged]]);
  assert.equal(flow.steps.filter(({ stage }) => stage === 'generate').length, 1);
});

test('judged captures are extracted once, and each stage has its own time', async () => {
  let clock = 0;
  const flow = new Workflow({ signal: new AbortController().signal, now: () => clock });
  const shell: Capture = { ...CAPTURE, html: '<script></script>Menu' };
  const whole: Capture = { ...CAPTURE, engine: 'vendor_lite', html: '<script></script>An article.' };
  const verdicts: boolean[] = [];
  const extracted: string[] = [];
  const noted: unknown[] = [];
  const applied: (Extraction | undefined)[] = [];
  const template = templateOf({});
  const observed: ExtractionTemplate = {
    id: template.id,
    site: { takeNotes: true },
    apply: async (page, budget) => {
      applied.push(page.extraction);
      return template.apply(page, budget);
    },
  };
  const deps: ExtractPageDeps = {
    ...depsOf(matching(observed)),
    fetcher: {
      async capture(_, { judge, signal }) {
        assert.ok(judge);
        for (const [capture, tookMs] of [
          [shell, 5],
          [whole, 200],
        ] as const) {
          clock += tookMs;
          const verdict = await judge(capture, { signal, timeoutMs: 1000 });
          verdicts.push(verdict.sufficient);
        }
        return { ...whole, attempts: [] };
      },
    },
    judgeHtml: async () => undefined,
    extractor: {
      async extract({ html, takeNotes }) {
        clock += 90;
        extracted.push(html);
        noted.push(takeNotes);
        return { ...EXTRACTION, mainText: html === whole.html ? 'word '.repeat(50) : 'Menu' };
      },
    },
    urlPolicy: { checkUrl: () => undefined },
    content: { put: async () => ({ hash: 'h', bytes: 1, storedBytes: 1 }) } as unknown as ExtractPageDeps['content'],
    snapshots: { insert: async () => undefined } as unknown as ExtractPageDeps['snapshots'],
  };
  const url = 'https://example.com/';
  const target = { given: url, url: new URL(url), options: {} };
  const command = { ...COMMAND, domId: undefined, url, target };
  await extractPage(deps, command, flow);
  assert.deepEqual(verdicts, [false, true]);
  assert.deepEqual(extracted, [shell.html, whole.html]);
  assert.deepEqual(
    applied.map((extraction) => extraction?.mainText),
    ['word '.repeat(50)],
  );
  const times = flow.steps.map(({ stage, elapsedMs }) => [stage, elapsedMs]);
  assert.deepEqual(
    times.filter(([, elapsedMs]) => elapsedMs !== 0),
    [
      ['fetch', 205],
      ['extract', 180],
    ],
  );

  assert.deepEqual(noted, [true, true], 'the trial extraction serves the matched template');
});
