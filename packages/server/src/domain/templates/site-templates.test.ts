import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { TemplateDocument } from '@winnow/contract';
import { openStore, type Store } from '../../store/open-store.ts';
import { inlineExtractor, inlineTemplates } from '../../workers/testing/inline-workers.ts';
import { COMMAND_LINE } from '../accounts/audit.ts';
import { AppError } from '../shared/errors.ts';
import type { PageSource, TemplateOutcome } from '../extraction/extraction-ports.ts';
import {
  activateTemplate,
  exportTemplate,
  importTemplate,
  requireTemplate,
  retireTemplate,
} from './manage-templates.ts';
import { SiteTemplates } from './site-templates.ts';
import { nameVersion } from './template-ports.ts';
import type { LearningPage, StoredTemplate } from './template-ports.ts';
import { makeTemplateDocument } from './testing/stored-template.ts';
import { makeTestPage, type TestLayout, type TestPage } from './testing/test-site.ts';

const BUDGET = { timeoutMs: 30_000, signal: new AbortController().signal };
const SILENT = { debug() {}, info() {}, warn: fail, error: fail };

function fail(fields: object, message: string): void {
  throw new Error(message, { cause: fields });
}

let folder = '';
const stores: Store[] = [];
/** Snapshots by `dom_id`, visible to both processes. */
const snapshots = new Map<string, LearningPage>();

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'winnow-templates-'));
  for (let i = 0; i < 2; i++)
    stores.push(
      await openStore({
        location: { sqliteFile: path.join(folder, 'winnow.db') },
        onError: (error) => assert.fail(String(error)),
      }),
    );
});
after(async () => {
  for (const store of stores) await store.close();
  await rm(folder, { recursive: true });
});

function openTemplates(process = 0): SiteTemplates {
  const store = stores[process]!;
  return new SiteTemplates({
    templates: store.siteTemplates,
    learning: store.learning,
    worker: inlineTemplates,
    extractor: inlineExtractor,
    pages: { read: async (page) => snapshots.get(page.domId) },
    owner: `process-${process}`,
    minConfidence: 0.05,
    logger: SILENT,
    cache: { maxAgeMs: 0 },
  });
}

function toSource(page: TestPage, projectId = 'prj_a'): PageSource {
  const domId = `dom_${createHash('sha256').update(`${projectId} ${page.url}`).digest('hex')}`;
  snapshots.set(domId, { html: page.html, url: page.url });
  return { html: page.html, url: page.url, contentLanguage: null, formats: [], projectId, domId };
}

async function visit(templates: SiteTemplates, page: TestPage, projectId?: string): Promise<TemplateOutcome> {
  const source = toSource(page, projectId);
  const { template } = await templates.match(source, BUDGET);
  const outcome = await template.apply(source, BUDGET);
  await templates.settle();
  return outcome;
}

async function listAll(host: string): Promise<StoredTemplate[]> {
  return stores[0]!.siteTemplates.findByHosts([host], ['candidate', 'active', 'suspect', 'retired']);
}

describe('a site that is visited repeatedly', () => {
  const host = 'life.example.com';
  const served: TemplateOutcome[] = [];

  test('is learned from three pages, proven on the fourth and served from the fifth', async () => {
    const templates = openTemplates();
    for (let index = 1; index <= 8; index++) served.push(await visit(templates, makeTestPage(index, 'first', host)));
    assert.deepEqual(
      served.slice(0, 4).map((one) => one.templateId),
      Array.from({ length: 4 }, () => 'generic:v1'),
    );
    for (const [at, outcome] of served.slice(4).entries()) {
      const page = makeTestPage(at + 5, 'first', host);
      assert.match(outcome.templateId, /^tpl_[0-9A-Z]{26}:v1$/);
      assert.equal(outcome.extraction.title, page.title);
      assert.equal(outcome.extraction.author, page.author);
      assert.equal(outcome.extraction.publishTime, page.day);
      assert.equal(outcome.extraction.language, 'en');
      assert.ok(outcome.extraction.mainText.includes(page.text));
      assert.doesNotMatch(outcome.extraction.mainText, /Read also|Subscribe to our letter|all rights reserved/);
    }
    await templates.close();
    const [stored] = await listAll(host);
    assert.equal(stored?.state, 'active');
    assert.equal(stored?.health.served, 4);
  });

  test('names the considered templates with scores', async () => {
    const templates = openTemplates();
    const { template, candidates } = await templates.match(toSource(makeTestPage(9, 'first', host)), BUDGET);
    assert.match(template.id, /:v1$/);
    assert.ok((candidates[0]?.score ?? 0) > 0.5);
    const far = await templates.match(
      toSource({ ...makeTestPage(9, 'first', host), html: '<table><tr><td><form><input></form>x</table>' }),
      BUDGET,
    );
    assert.equal(far.template.id, 'generic:v1');
    assert.match(far.candidates[0]?.reason ?? '', /the structure is too far/);
    await templates.close();
  });

  test('falls back within the request when its markup changes, and recovers', async () => {
    const templates = openTemplates();
    const outcomes: TemplateOutcome[] = [];
    for (let index = 20; index < 29; index++)
      outcomes.push(await visit(templates, makeTestPage(index, 'second', host)));
    assert.match(outcomes[0]?.fallback ?? '', /:v1 does not match: /);
    assert.equal(outcomes[0]?.templateId, 'generic:v1');
    assert.match(outcomes.at(-1)?.templateId ?? '', /:v2$/);
    const page = makeTestPage(28, 'second', host);
    assert.ok(outcomes.at(-1)?.extraction.mainText.includes(page.text));
    assert.equal(outcomes.at(-1)?.extraction.author, page.author);
    await templates.close();
    const states = (await listAll(host)).map((one) => [one.version, one.state]);
    assert.deepEqual(states, [
      [2, 'active'],
      [1, 'retired'],
    ]);
  });

  test('gets its former template back when its former markup returns', async () => {
    const templates = openTemplates();
    let last: TemplateOutcome | undefined;
    for (let index = 40; index < 46; index++) last = await visit(templates, makeTestPage(index, 'first', host));
    assert.match(last?.templateId ?? '', /:v1$/);
    await templates.close();
    const states = (await listAll(host)).map((one) => [one.version, one.state]);
    assert.deepEqual(states, [
      [2, 'retired'],
      [1, 'active'],
    ]);
  });
});

async function activate(host: string, parts: Partial<TemplateDocument>): Promise<StoredTemplate> {
  const deps = { templates: stores[0]!.siteTemplates, audit: stores[0]!.accounts.audit };
  const invariants: TemplateDocument['invariants'] = { required: ['main_text'], main_text_words: null };
  const document = makeTemplateDocument({ hosts: [host], invariants, ...parts });
  const candidate = await importTemplate(deps, COMMAND_LINE, document);
  return activateTemplate(deps, COMMAND_LINE, nameVersion(candidate));
}

test('a manually retired template is not learned again until a person permits it', async () => {
  const host = 'retired.example.com';
  const deps = { templates: stores[0]!.siteTemplates, audit: stores[0]!.accounts.audit };
  const templates = openTemplates();
  const visitAll = async (from: number, to: number, layout: TestLayout = 'first'): Promise<string[]> => {
    const ids: string[] = [];
    for (let index = from; index < to; index++)
      ids.push((await visit(templates, makeTestPage(index, layout, host))).templateId);
    return ids;
  };
  const [learned = ''] = (await visitAll(1, 7)).slice(-1);
  assert.match(learned, /^tpl_/);
  await retireTemplate(deps, COMMAND_LINE, learned);
  templates.forget();
  assert.deepEqual(new Set(await visitAll(7, 15)), new Set(['generic:v1']));
  assert.deepEqual(
    (await listAll(host)).map((one) => [nameVersion(one), one.state]),
    [[learned, 'retired']],
  );

  // Another kind of page is not affected.
  const [other = ''] = (await visitAll(20, 27, 'second')).slice(-1);
  assert.match(other, /^tpl_/);
  assert.notEqual(other, learned);
  await retireTemplate(deps, COMMAND_LINE, other);

  // A later manual version that fails permits learning again.
  const { document, id } = await requireTemplate(deps.templates, learned);
  const next = await importTemplate(deps, COMMAND_LINE, { ...document, id });
  await deps.templates.setState(next, ['candidate'], 'retired', 'failed on a page');
  templates.forget();
  assert.match((await visitAll(40, 48)).at(-1) ?? '', /^tpl_/);
  await templates.close();
});

test('a learned template can be exported and imported, even with long page addresses', async () => {
  const host = 'long.example.com';
  const templates = openTemplates();
  for (let index = 1; index <= 4; index++) {
    const page = makeTestPage(index, 'first', host);
    const url = page.url.replace(host, `${host}/${'s'.repeat(900)}`);
    await visit(templates, { ...page, url: `${url}?${'q'.repeat(900)}=1` });
  }
  await templates.close();
  const [learned] = await listAll(host);
  assert.equal(learned?.state, 'active');
  const manage = { templates: stores[0]!.siteTemplates, audit: stores[0]!.accounts.audit };
  const imported = await importTemplate(manage, COMMAND_LINE, JSON.stringify(exportTemplate(learned)));
  assert.equal(nameVersion(imported), `${learned.id}:v2`);
});

test('a template that disagrees with the generic extractor is taken out of service', async () => {
  const host = 'wrong.example.com';
  await activate(host, { content: { include: [{ css: 'aside' }], exclude: [], exclude_text: [] } });
  const templates = openTemplates();
  const served: TemplateOutcome[] = [];
  for (let index = 0; index < 4; index++) served.push(await visit(templates, makeTestPage(index, 'first', host)));
  const other = await visit(templates, makeTestPage(9, 'first', host), 'prj_other');
  await templates.close();
  assert.deepEqual(
    served.map((one) => one.templateId.startsWith('tpl_')),
    [true, true, true, false],
  );
  assert.match(other.templateId, /^tpl_/, 'shared templates are tested by each project');
});

test('a single disagreement leads to more comparisons, and is forgotten when they agree', async () => {
  const host = 'once.example.com';
  const stored = await activate(host, {
    content: { include: [{ css: 'div.story-text' }], exclude: [{ css: 'div.story-related' }], exclude_text: [] },
  });
  const templates = openTemplates();
  const visitHtml = (index: number, edit: (html: string) => string): Promise<TemplateOutcome> => {
    const page = makeTestPage(index, 'first', host);
    return visit(templates, { ...page, html: edit(page.html) });
  };
  // Moves the story out of its usual element.
  const moved = (html: string): string =>
    html.replace('<div class="story-text">', '<div class="story-text"><p>See below.</p></div><div class="elsewhere">');
  for (let index = 0; index < 9; index++) await visitHtml(index, index === 4 ? moved : (html) => html);
  await visitHtml(9, moved);
  for (let index = 10; index < 16; index++) {
    const { templateId } = await visitHtml(index, (html) => html);
    assert.equal(templateId, nameVersion(stored));
  }
  await templates.close();
  const [kept] = await listAll(host);
  // The first three, the tenth, and one more, whose agreement cancels the disagreement.
  assert.deepEqual([kept?.state, kept?.health.compared, kept?.health.disagreed], ['active', 5, 1]);
});

test('twenty concurrent first visits on two processes create one template', async () => {
  const host = 'rush.example.com';
  const both = [openTemplates(0), openTemplates(1)];
  const visits = Array.from({ length: 20 }, async (_, index) => {
    const source = toSource(makeTestPage(index, 'first', host));
    const { template } = await both[index % 2]!.match(source, BUDGET);
    return template.apply(source, BUDGET);
  });
  for (const outcome of await Promise.all(visits)) assert.equal(outcome.templateId, 'generic:v1');
  for (const one of both) await one.close();
  const stored = await listAll(host);
  assert.equal(stored.length, 1);
});

test('an unreleased lease expires', async () => {
  const site = { projectId: 'p', host: 'lease.example.com' };
  const { learning } = stores[0]!;
  const seenAt = new Date();
  for (const url of ['a', 'b', 'c']) await learning.notePage({ ...site, url, domId: url, confidence: 1, seenAt });
  assert.deepEqual(await learning.lease(site, 'dead', -1), { pages: 3, nextAttempt: 3 });
  assert.deepEqual(await stores[1]!.learning.lease(site, 'alive', 60_000), { pages: 3, nextAttempt: 3 });
  assert.equal(await learning.lease(site, 'third', 60_000), undefined);
  await learning.renew(site, 'third', -1);
  assert.equal(await learning.lease(site, 'third', 60_000), undefined, 'only the holder renews a lease');
  await learning.renew(site, 'alive', -1);
  assert.ok(await learning.lease(site, 'third', 60_000), 'a renewal sets the end of the lease');
  await learning.release(site, 'third', 5, ['a']);
  assert.deepEqual(await learning.getState(site), { pages: 2, nextAttempt: 5 });
});

test('if the generic extractor always fails on a host, a template is learned or the request fails', async () => {
  const host = 'empty.example.com';
  const templates = openTemplates();
  const page = (index: number): TestPage => ({
    ...makeTestPage(index, 'first', host),
    html: '<!doctype html><title>x</title><body><div id="app"></div>',
  });
  for (let index = 0; index < 3; index++) await visit(templates, page(index));
  const match = await templates.match(toSource(page(3)), BUDGET);
  assert.match(match.generate ?? '', /the generic extractor failed on the last 3 pages/);
  await assert.rejects(
    templates.generate(toSource(page(3)), BUDGET),
    (error) => error instanceof AppError && error.code === 'template_generation_failed' && error.stage === 'generate',
  );
  await templates.close();
});

describe('a host used by several projects', () => {
  // Checks: threat-foreign-training
  test('training pages of one project never change the answers of another', async () => {
    const host = 'strangers.example.com';
    const templates = openTemplates();
    for (let index = 1; index <= 6; index++) await visit(templates, makeHostilePage(index, host), 'prj_hostile');
    const [learned] = await listAll(host);
    assert.deepEqual([learned?.state, learned?.projectId], ['active', 'prj_hostile'], 'the attack is real');
    const ids: string[] = [];
    for (let index = 11; index <= 17; index++) {
      const page = makeTestPage(index, 'first', host);
      const { extraction, templateId } = await visit(templates, page, 'prj_honest');
      assert.ok(extraction.mainText.includes(page.text), extraction.mainText.slice(0, 200));
      ids.push(templateId);
      if (index === 11) {
        const { isByStructure } = await templates.match(toSource(page, 'prj_honest'), BUDGET);
        assert.notEqual(isByStructure, true);
      }
    }
    assert.deepEqual(
      ids.slice(0, 4),
      Array.from({ length: 4 }, () => 'generic:v1'),
    );
    const own = (await listAll(host)).find(({ projectId }) => projectId === 'prj_honest');
    assert(own);
    assert.equal(ids.at(-1), nameVersion(own));
    for (let index = 7; index <= 12; index++) await visit(templates, makeHostilePage(index, host), 'prj_hostile');
    const page = makeTestPage(30, 'first', host);
    const last = await visit(templates, page, 'prj_honest');
    assert.equal(last.templateId, nameVersion(own));
    assert.ok(last.extraction.mainText.includes(page.text));
    await templates.close();
  });

  // Checks: threat-foreign-training
  test('a shared template that fails on the pages of one project keeps serving the others', async () => {
    const host = 'shared.example.com';
    const templates = openTemplates();
    const teacher = openTemplates(1);
    for (let index = 1; index <= 5; index++) await visit(teacher, makeTestPage(index, 'first', host), 'prj_teacher');
    await teacher.close();
    const [taught] = await listAll(host);
    assert(taught);
    const { id: _id, version: _version, state: _state, ...document } = exportTemplate(taught);
    const deps = { templates: stores[0]!.siteTemplates, audit: stores[0]!.accounts.audit };
    const shared = await importTemplate(deps, COMMAND_LINE, document);
    assert.equal(shared.projectId, null);
    templates.forget();
    const states = async () => (await requireTemplate(deps.templates, nameVersion(shared))).state;
    await visit(templates, makeTestPage(50, 'second', host), 'prj_hostile');
    await visit(templates, makeTestPage(51, 'second', host), 'prj_hostile');
    assert.equal(await states(), 'candidate', 'no page of one project retires it');
    await activateTemplate(deps, COMMAND_LINE, nameVersion(shared));
    templates.forget();
    const hostile: string[] = [];
    for (let index = 52; index < 62; index++)
      hostile.push((await visit(templates, makeTestPage(index, 'second', host), 'prj_hostile')).templateId);
    assert.equal(await states(), 'active');
    const page = makeTestPage(70, 'first', host);
    const { templateId, extraction } = await visit(templates, page, 'prj_honest');
    assert.equal(templateId, nameVersion(shared));
    assert.ok(extraction.mainText.includes(page.text));
    assert.match(hostile.at(-1) ?? '', /^tpl_/, 'the other project has learned its own');
    assert.notEqual(hostile.at(-1), nameVersion(shared));
    await templates.close();
  });
});

/** A page of an attacker: the host's layout, with the story in the place of advertising. */
function makeHostilePage(index: number, host: string): TestPage {
  const page = makeTestPage(index, 'first', host);
  const [story = ''] = /<div class="story-text">[^]*?<div class="story-related">/.exec(page.html) ?? [];
  const paragraphs = story.replace('<div class="story-text">', '').replace('<div class="story-related">', '');
  const html = page.html
    .replace(paragraphs, '<p>First!</p>\n<p>Same here.</p>')
    .replace(/<aside class="subscribe">[^]*?<\/aside>/, `<aside class="subscribe">${paragraphs}</aside>`);
  return { ...page, html };
}
