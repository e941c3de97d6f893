import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { TemplateDocument } from '@winnow/contract';
import { openStore, type Store } from '../../store/open-store.ts';
import { inlineExtractor, inlineTemplates } from '../../workers/testing/inline-workers.ts';
import { COMMAND_LINE } from '../accounts/audit.ts';
import type { PageSource, TemplateMatch, TemplateOutcome } from '../extraction/extraction-ports.ts';
import { activateTemplate, importTemplate } from './manage-templates.ts';
import { SiteTemplates } from './site-templates.ts';
import { nameVersion } from './template-ports.ts';
import { makeTemplateDocument } from './testing/stored-template.ts';
import { makeTestPage, type TestPage } from './testing/test-site.ts';

const BUDGET = { timeoutMs: 30_000, signal: new AbortController().signal };
const warned: string[] = [];
const LOGGER = { debug() {}, info() {}, warn: (_: object, message: string) => void warned.push(message), error: fail };

function fail(fields: object, message: string): void {
  throw new Error(message, { cause: fields });
}

let folder = '';
let store: Store;

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'winnow-templates-'));
  store = await openStore({
    location: { sqliteFile: path.join(folder, 'winnow.db') },
    onError: (error) => assert.fail(String(error)),
  });
});
after(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

/** @param maxAgeMs of the caches; default: nothing is cached */
function openTemplates(maxAgeMs = 0): SiteTemplates {
  return new SiteTemplates({
    templates: store.siteTemplates,
    notes: store.siteNotes,
    projects: store.projects,
    worker: inlineTemplates,
    extractor: inlineExtractor,
    minConfidence: 0.05,
    logger: LOGGER,
    cache: { maxAgeMs },
  });
}

function toSource(page: TestPage, projectId = 'prj_a'): PageSource {
  const { html, url } = page;
  return { html, url, contentLanguage: null, formats: [], projectId, domId: 'dom_1' };
}

interface Visit extends TemplateOutcome {
  readonly match: TemplateMatch;
}

async function visit(templates: SiteTemplates, page: TestPage, projectId?: string): Promise<Visit> {
  const source = toSource(page, projectId);
  const match = await templates.match(source, BUDGET);
  const built = match.generate === undefined ? undefined : await templates.generate(source, BUDGET);
  const outcome = await (built ?? match.template).apply(source, BUDGET);
  await templates.settle();
  return { ...outcome, match };
}

test('the third page of a site is answered with evidence of the others, whose version grows', async () => {
  const templates = openTemplates();
  const visits: Visit[] = [];
  for (let index = 1; index <= 4; index++)
    visits.push(await visit(templates, makeTestPage(index, 'first', 'life.example.com')));
  const names = visits.map(({ templateId }) => templateId);
  assert.deepEqual(names.slice(0, 2), ['generic:v1', 'generic:v1']);
  assert.match(names[2] ?? '', /^tpl_[0-9A-HJKMNP-TV-Z]{26}:v2$/);
  assert.equal(names[3], names[2]?.replace(':v2', ':v3'));
  assert.deepEqual(
    visits.map(({ match }) => match.generate),
    [
      undefined,
      undefined,
      '2 other pages of life.example.com/news/{slug} are known',
      '3 other pages of life.example.com/news/{slug} are known',
    ],
  );
  assert.ok(visits.every(({ extraction }) => extraction.notes === undefined));
  const { extraction } = visits[3]!;
  const page = makeTestPage(4);
  assert.deepEqual([extraction.title, extraction.author, extraction.publishTime], [page.title, page.author, page.day]);
  assert.ok(extraction.mainText.includes(page.text));
  const elsewhere = makeTestPage(5, 'first', 'life.example.com');
  const other = { ...elsewhere, url: 'https://life.example.com/news/archive/a-story' };
  const another = await visit(templates, other);
  assert.equal(another.match.generate, '4 other pages of life.example.com are known', 'its shape has no others');
  assert.match(another.templateId, /:v4$/);
  assert.notEqual(another.templateId.split(':')[0], names[2]?.split(':')[0]);
  assert.ok(another.extraction.mainText.includes(elsewhere.text));
  await templates.close();
});

test('a text that the other pages repeat is no content of a page', async () => {
  const templates = openTemplates();
  const repeated =
    'The council answers letters of its readers on the second floor of the old town hall every Monday morning.';
  const mainTexts: string[] = [];
  for (let index = 1; index <= 5; index++) {
    const page = makeTestPage(index, 'first', 'repeats.example.com');
    const html = page.html.replace('<div class="story-text"><p>', `<div class="story-text"><p>${repeated}</p><p>`);
    mainTexts.push((await visit(templates, { ...page, html })).extraction.mainText);
  }
  assert.deepEqual(
    mainTexts.map((text) => text.includes(repeated)),
    [true, true, true, false, false],
  );
  assert.ok(mainTexts[4]?.includes(makeTestPage(5).text));
  await templates.close();
});

test('built evidence is used again, and never for one of its own pages', async () => {
  const host = 'again.example.com';
  const templates = openTemplates(60_000);
  const pages = [1, 2, 3, 4].map((index) => makeTestPage(index, 'first', host));
  for (const page of pages.slice(0, 2)) await visit(templates, page);
  const third = await visit(templates, pages[2]!);
  assert.match(third.templateId, /:v2$/);
  const fourth = await visit(templates, pages[3]!);
  assert.deepEqual([fourth.templateId, fourth.match.generate], [third.templateId, undefined]);
  const [candidate] = fourth.match.candidates;
  assert.equal(candidate?.reason, `evidence of 2 other pages of ${host}/news/{slug}`);
  assert.equal(fourth.match.template.site?.siteEvidence?.includes('"pages":2'), true);
  const first = await visit(templates, pages[0]!);
  assert.equal(first.match.generate, `3 other pages of ${host}/news/{slug} are known`);
  assert.match(first.templateId, /:v4$/);
  await templates.close();
});

test('pages of a project that does not learn leave no notes, and are answered without those that there are', async () => {
  const host = 'switch.example.com';
  const templates = openTemplates();
  await store.projects.insert({ id: 'prj_switch', name: 'switch', createdAt: new Date(), archivedAt: null });
  const pages = [1, 2, 3, 4, 5].map((index) => makeTestPage(index, 'first', host));
  for (const page of pages.slice(0, 2)) await visit(templates, page, 'prj_switch');
  await store.projects.update('prj_switch', { learns: false });
  const { match, templateId } = await visit(templates, pages[2]!, 'prj_switch');
  assert.deepEqual([templateId, match.generate], ['generic:v1', undefined]);
  const [place] = await store.siteNotes.listPlaces({ projectId: 'prj_switch', limit: 5 });
  assert.equal(place?.pages, 2);
  await store.projects.update('prj_switch', { learns: true });
  assert.match((await visit(templates, pages[3]!, 'prj_switch')).templateId, /^tpl_.*:v2$/);
  await templates.close();
});

test('a page that is seen again replaces its notes', async () => {
  const templates = openTemplates();
  const page = makeTestPage(1, 'first', 'alone.example.com');
  for (let time = 0; time < 4; time++) assert.equal((await visit(templates, page)).templateId, 'generic:v1');
  const [place] = await store.siteNotes.listPlaces({ projectId: 'prj_a', domain: 'alone.example.com', limit: 5 });
  assert.equal(place?.pages, 1);
  await templates.close();
});

// Checks: threat-foreign-training
test('pages of one project are no evidence for another', async () => {
  const templates = openTemplates();
  const host = 'strangers.example.com';
  for (let index = 1; index <= 5; index++) await visit(templates, makeTestPage(index, 'first', host), 'prj_hostile');
  const { templateId, match } = await visit(templates, makeTestPage(9, 'first', host), 'prj_honest');
  assert.deepEqual([templateId, match.generate], ['generic:v1', undefined]);
  await templates.close();
});

test('a page with a warning, of elements, with other options or that is not stored leaves no notes', async () => {
  const templates = openTemplates();
  const host = 'none.example.com';
  const page = makeTestPage(1, 'first', host);
  const wall =
    '<!doctype html><title>Sign in</title><h1>Sign in</h1><p>Please log in to continue.</p><form><input type="password"></form>';
  const walled = await visit(templates, { ...page, html: wall });
  assert.ok(walled.extraction.warnings.length > 0);
  const stored = Promise.reject(new Error('the disk is full'));
  stored.catch(() => undefined);
  for (const source of [
    { ...toSource(page), stored },
    { ...toSource(page), favor: 'recall' as const },
    { ...toSource(page), hidden_text: 'keep' as const },
    { ...toSource(page), elements: { include: [{ css: 'div' }], exclude: [] } as never },
  ]) {
    const { template } = await templates.match(source, BUDGET);
    if (source.elements === undefined) await template.apply(source, BUDGET);
    else assert.equal(template.site, undefined);
    await templates.settle();
  }
  assert.deepEqual(await store.siteNotes.listPlaces({ projectId: 'prj_a', domain: host, limit: 5 }), []);
  await templates.close();
});

async function activate(host: string, parts: Partial<TemplateDocument>): Promise<string> {
  const deps = { templates: store.siteTemplates, audit: store.accounts.audit };
  const candidate = await importTemplate(deps, COMMAND_LINE, makeTemplateDocument({ hosts: [host], ...parts }));
  return nameVersion(await activateTemplate(deps, COMMAND_LINE, nameVersion(candidate)));
}

const css = (selector: string) => ({ selectors: [{ css: selector }] });

test('a template by a person takes precedence over evidence, and is obeyed', async () => {
  const host = 'hand.example.com';
  const templates = openTemplates();
  for (let index = 1; index <= 3; index++) await visit(templates, makeTestPage(index, 'first', host));
  const content = { include: [{ css: 'aside' }], exclude: [], exclude_text: [] };
  const name = await activate(host, { content, fields: { author: css('.nobody') } });
  const { templateId, extraction, match } = await visit(templates, makeTestPage(4, 'first', host));
  assert.equal(templateId, name);
  assert.match(extraction.mainText, /^Subscribe to our letter/);
  assert.equal(extraction.author, null);
  assert.equal(match.candidates[0]?.templateId, name);
  await templates.close();
});

test('a candidate serves no requests, and is named', async () => {
  const host = 'candidate.example.com';
  const deps = { templates: store.siteTemplates, audit: store.accounts.audit };
  const candidate = await importTemplate(deps, COMMAND_LINE, makeTemplateDocument({ hosts: [host] }));
  const templates = openTemplates();
  for (let index = 1; index <= 2; index++) {
    const { templateId, match } = await visit(templates, makeTestPage(index, 'first', host));
    assert.equal(templateId, 'generic:v1');
    assert.deepEqual(match.candidates[0], {
      templateId: nameVersion(candidate),
      score: 0.5,
      reason: 'candidate: host and address fit',
    });
  }
  assert.equal((await store.siteTemplates.find(candidate.id, 1))?.state, 'candidate');
  await templates.close();
});

test('a field that vanished comes from the generic extractor, with a warning, until it is back', async () => {
  const host = 'moved.example.com';
  await activate(host, {
    fields: { author: css('.story-author') },
    custom: [{ name: 'by', type: 'text', ...css('.story-author') }],
  });
  const templates = openTemplates();
  for (let index = 0; index < 20; index++) await visit(templates, makeTestPage(index, 'first', host));
  const moved: Visit[] = [];
  for (let index = 20; index < 23; index++) moved.push(await visit(templates, makeTestPage(index, 'second', host)));
  assert.deepEqual(
    moved.map(({ extraction }) => extraction.author),
    [null, null, makeTestPage(22).author],
  );
  assert.deepEqual(moved[2]?.sources?.fromGeneric, {
    author: 'the last pages of the site have it in another place',
    'fields.by': 'the last pages of the site have it in another place',
  });
  assert.deepEqual(warned.splice(0), ['a template does not fit the last pages of its site']);
  const back = await visit(templates, makeTestPage(23, 'first', host));
  assert.equal(back.extraction.author, makeTestPage(23).author);
  assert.deepEqual(back.sources?.fromGeneric, {});
  await templates.close();
});

test('a page without the elements of the main text is answered by the generic extractor', async () => {
  const host = 'relaunch.example.com';
  const content = { include: [{ css: '.story-text' }], exclude: [], exclude_text: [] };
  const name = await activate(host, { content });
  const templates = openTemplates();
  const page = makeTestPage(1, 'second', host);
  const { templateId, fallback, extraction } = await visit(templates, page);
  assert.deepEqual([templateId, fallback], ['generic:v1', `${name} does not match: the main text is empty`]);
  assert.ok(extraction.mainText.includes(page.text));
  await templates.close();
});
