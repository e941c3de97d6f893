import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { openStore, type Store } from '../../store/open-store.ts';
import { inlineTemplates } from '../../workers/testing/inline-workers.ts';
import { AppError } from '../shared/errors.ts';
import { importFtrFile } from './read-ftr-config.ts';
import {
  activateTemplate,
  exportTemplate,
  importTemplate,
  requireTemplate,
  retireTemplate,
  rollBackTemplate,
} from './manage-templates.ts';
import type { ManageTemplatesDeps } from './manage-templates.ts';
import { newId } from '../shared/new-id.ts';
import { nameVersion } from './template-ports.ts';
import { makeStoredTemplate, makeTemplateDocument } from './testing/stored-template.ts';
import { testTemplate } from './test-template.ts';
import { makeTestPage } from './testing/test-site.ts';

const BUDGET = { timeoutMs: 30_000, signal: new AbortController().signal };

const TEMPLATE = {
  format: 1,
  hosts: ['news.example.com'],
  url_shapes: [],
  signature: null,
  fields: { title: { selectors: [{ css: 'h1' }] }, author: { selectors: [{ css: '.story-author' }] } },
  content: { include: [{ css: '.story-text' }], exclude: [{ css: '.story-related' }], exclude_text: [] },
  custom: [{ name: 'read_also', type: 'list', selectors: [{ css: '.story-related a', all: true }] }],
  invariants: { required: ['title', 'main_text'], main_text_words: null },
  checks: [{ url: makeTestPage(1).url, contains: ['On a cold morning', 'not there'] }],
  provenance: { source: 'hand' },
} as const;

let folder = '';
let store: Store;

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'winnow-manage-'));
  store = await openStore({
    location: { sqliteFile: path.join(folder, 'winnow.db') },
    onError: (error) => assert.fail(String(error)),
  });
});
after(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const ACTOR = { email: 'ada@example.com' };

function deps(): ManageTemplatesDeps {
  return { templates: store.siteTemplates, audit: store.accounts.audit };
}

async function refused(source: string | object, message: RegExp): Promise<void> {
  await assert.rejects(
    importTemplate(deps(), ACTOR, source),
    (error) => error instanceof AppError && error.code === 'invalid_request' && message.test(error.message),
  );
}

test('an invalid template is rejected with the path of the fault', async () => {
  await refused('{', /^template: is not JSON/);
  await refused(
    JSON.stringify({ ...TEMPLATE, provenance: { source: 'hand', note: 'x'.repeat(1_000_000) } }),
    /^template: has 100\d+ bytes; at most 262144/,
  );
  await refused({ ...TEMPLATE, colour: 1 }, /^colour: unknown field/);
  await refused(
    { ...TEMPLATE, custom: [{ name: 'price', type: 'money', selectors: [{ css: 'p' }] }] },
    /^custom\[0\]\.type: /,
  );
  await refused(
    { ...TEMPLATE, fields: { title: { selectors: [{ css: 'h1[' }] } } },
    /^fields\.title\.selectors\[0\]\.css: /,
  );
  await refused(
    { ...TEMPLATE, fields: { title: { selectors: [{ css: 'h1', post: [{ op: 'match', pattern: '(a+)+' }] }] } } },
    /post\[0\]\.pattern: catastrophic/,
  );
  await refused({ ...TEMPLATE, fields: { subtitle: { selectors: [] } } }, /^fields\.subtitle: unknown field/);
  await refused({ ...TEMPLATE, hosts: [] }, /^hosts: /);
  for (const host of ['*.example.com', '.', 'exa mple.com', 'example.com:x', 'example.com\\a', 'example\0.com'])
    await refused({ ...TEMPLATE, hosts: [host] }, /^hosts\[0\]: must be a host name/);
  for (const [selector, message] of [
    [{ css: ' ' }, /^content\.include\[0\]\.css: the selector is empty/],
    [{ xpath: '//p[@class=$name]' }, /^content\.include\[0\]\.xpath: there is no variable \$name/],
  ] as const)
    await refused({ ...TEMPLATE, content: { ...TEMPLATE.content, include: [selector] } }, message);
  await refused([], /^template: /);
});

test('a template is imported, activated, exported, changed, rolled back and retired', async () => {
  const templates = store.siteTemplates;
  const first = await importTemplate(deps(), ACTOR, TEMPLATE);
  assert.equal(first.state, 'candidate');
  assert.equal((await activateTemplate(deps(), ACTOR, nameVersion(first))).state, 'active');
  await assert.rejects(activateTemplate(deps(), ACTOR, first.id), /:v1 is already active$/);
  const exported = exportTemplate(await requireTemplate(templates, first.id));
  assert.equal(exported.id, first.id);
  const second = await importTemplate(deps(), ACTOR, JSON.stringify(exported));
  assert.equal(nameVersion(second), `${first.id}:v2`);
  await activateTemplate(deps(), ACTOR, nameVersion(second));
  assert.equal((await requireTemplate(templates, nameVersion(first))).state, 'retired');
  assert.equal(nameVersion(await rollBackTemplate(deps(), ACTOR, first.id)), `${first.id}:v1`);
  assert.equal((await requireTemplate(templates, nameVersion(second))).state, 'retired');
  await assert.rejects(rollBackTemplate(deps(), ACTOR, first.id), /has no earlier version/);
  assert.equal((await retireTemplate(deps(), ACTOR, first.id)).state, 'retired');
  await assert.rejects(
    requireTemplate(templates, 'tpl_none'),
    (error) => error instanceof AppError && error.code === 'not_found',
  );
  const listed = await templates.list({ limit: 10, domain: 'example.com' });
  assert.deepEqual(
    listed.map((one) => one.version),
    [2, 1],
  );
  assert.deepEqual(
    (await templates.list({ limit: 10, after: nameVersion(listed[0]!) })).map((one) => one.version),
    [1],
  );
});

test('a template that an earlier version learned becomes the person’s who imports it', async () => {
  const document = makeTemplateDocument({
    hosts: ['learned.example.com'],
    fields: { title: { selectors: [{ css: 'h1' }] } },
    invariants: { required: [], main_text_words: null, exclusions: 2, recall: 0.9 },
    provenance: { source: 'induced' },
  });
  const stored = makeStoredTemplate({ id: newId('tpl'), document });
  await deps().templates.insert(stored);
  const imported = await importTemplate(deps(), ACTOR, JSON.stringify(exportTemplate(stored)));
  assert.deepEqual([imported.version, imported.document.provenance.source], [2, 'hand']);
});

test('hosts are normalised so that they match addresses', async () => {
  const hosts = ['Shop.Example.ORG', '.Bücher.example', 'shop.Example.org:80', '[2001:DB8::1]:8080', '.com'];
  const { document } = await importTemplate(deps(), ACTOR, { ...TEMPLATE, hosts });
  assert.deepEqual(document.hosts, [
    'shop.example.org',
    '.xn--bcher-kva.example',
    'shop.example.org:80',
    '[2001:db8::1]:8080',
    '.com',
  ]);
});

test('a rollback starts at the active version, whichever is named, and leaves one active', async () => {
  const templates = store.siteTemplates;
  const { id } = await importTemplate(deps(), ACTOR, TEMPLATE);
  for (const version of [2, 3]) await importTemplate(deps(), ACTOR, { ...TEMPLATE, id, version });
  const states = async (): Promise<string> =>
    (await templates.listVersions(id)).map((one) => `v${one.version}=${one.state}`).join(' ');
  await activateTemplate(deps(), ACTOR, `${id}:v3`);
  assert.equal(nameVersion(await rollBackTemplate(deps(), ACTOR, `${id}:v2`)), `${id}:v2`);
  assert.equal(await states(), 'v3=retired v2=active v1=retired');
  assert.match((await requireTemplate(templates, `${id}:v3`)).note, /^by hand: rolled back to version 2/);
  await importTemplate(deps(), ACTOR, { ...TEMPLATE, id });
  assert.equal(nameVersion(await rollBackTemplate(deps(), ACTOR, `${id}:v4`)), `${id}:v1`);
  assert.equal(await states(), 'v4=retired v3=retired v2=retired v1=active');
  await retireTemplate(deps(), ACTOR, id);
  assert.equal(nameVersion(await rollBackTemplate(deps(), ACTOR, `${id}:v3`)), `${id}:v2`);
  assert.equal(await states(), 'v4=retired v3=retired v2=active v1=retired');
});

// Checks: threat-unattributed-change
test('manual changes of templates are audited, rejected ones are not', async () => {
  const { id } = await importTemplate(deps(), ACTOR, TEMPLATE);
  await importTemplate(deps(), ACTOR, { ...TEMPLATE, id });
  await activateTemplate(deps(), ACTOR, `${id}:v2`);
  await assert.rejects(activateTemplate(deps(), ACTOR, `${id}:v2`), /:v2 is already active$/);
  await rollBackTemplate(deps(), ACTOR, id);
  await retireTemplate(deps(), ACTOR, id);
  const imported = await importFtrFile(deps(), ACTOR, 'audit.example.com.txt', 'body: //article');
  const { items } = await store.accounts.audit.list({ limit: 6 });
  const lines = items.map(({ actor, action, target, detail }) => [actor, action, target, detail['from']].join(' '));
  const { email } = ACTOR;
  assert.deepEqual(lines.toReversed(), [
    `${email} template.import ${id}:v1 `,
    `${email} template.import ${id}:v2 `,
    `${email} template.activate ${id}:v2 candidate`,
    `${email} template.rollback ${id}:v1 ${id}:v2`,
    `${email} template.retire ${id}:v1 active`,
    `${email} template.import ${imported.template} `,
  ]);
  assert.deepEqual(items[0]?.detail['hosts'], ['audit.example.com', 'www.audit.example.com']);
});

test('a test shows the differences from the generic extractor by field', async () => {
  const page = makeTestPage(1);
  const stored = await importTemplate(deps(), ACTOR, TEMPLATE);
  const [result] = await testTemplate(inlineTemplates, stored, [{ ...page, name: 'one.html' }], BUDGET);
  assert.ok(result);
  assert.deepEqual(result.missing, ['not there']);
  assert.deepEqual([result.ok, result.matches], [false, true]);
  const [elsewhere] = await testTemplate(
    inlineTemplates,
    stored,
    [{ ...page, url: 'https://a.example/', name: 'b' }],
    BUDGET,
  );
  assert.equal(elsewhere?.matches, false);
  assert.equal(elsewhere.reason, 'it does not match the page: it is not for the host a.example');
  const title = result.fields.find((one) => one.field === 'title');
  assert.deepEqual(title, { field: 'title', template: page.title, generic: page.title, same: true, selector: 'h1' });
  const custom = result.fields.find((one) => one.field === 'fields.read_also');
  assert.equal(Array.isArray(custom?.template) ? custom.template.length : 0, 3);
});

test('ftr-site-config files become candidates, and faults are named by line', async () => {
  const templates = store.siteTemplates;
  const good = `# made for this test
title: //h1[@class='story-title']
author: //span[@class='story-author']
date: //time/@datetime
body: //div[@class='story-text']
strip: //h3
strip_id_or_class: "story-related"
prune: no
find_string: <b>
replace_string: <strong>
test_url: ${makeTestPage(1).url}
test_contains: On a cold morning
`;
  const imported = await importFtrFile(deps(), ACTOR, 'news.example.com.txt', good);
  assert.deepEqual(imported.faults, []);
  assert.deepEqual(imported.ignored, [{ line: 8, reason: 'prune is not supported in templates' }]);
  const stored = await requireTemplate(templates, imported.template ?? '');
  assert.deepEqual(stored.document.hosts, ['news.example.com', 'www.news.example.com']);
  const page = makeTestPage(1);
  const [result] = await testTemplate(inlineTemplates, stored, [{ ...page, name: 'one' }], BUDGET);
  assert.deepEqual(result?.missing, []);
  assert.equal(result?.fields.find((one) => one.field === 'author')?.template, page.author);
  assert.equal(result?.fields.find((one) => one.field === 'publish_time')?.template, page.day);
  assert.equal(result?.fields.find((one) => one.field === 'main_text')?.template, page.text);

  const again = await importFtrFile(deps(), ACTOR, 'news.example.com.txt', good);
  assert.equal(again.template, imported.template);
  const changed = await importFtrFile(deps(), ACTOR, 'news.example.com.txt', `${good}strip: //h4\n`);
  assert.equal(changed.template, imported.template?.replace('v1', 'v2'));

  const faults: readonly (readonly [string, string, number, RegExp])[] = [
    ['a.example.com.txt', 'title: //h1\nbody: //div[\n', 2, /content\.include\[0\]\.xpath/],
    ['b.example.com.txt', 'title //h1\nstrip: //nav', 0, /it has no rule for a template/],
    ['c.example.com.txt', 'prune: no\n', 0, /it has no rule for a template/],
    ['README.md', 'title: //h1', 0, /not named after a host/],
    ['d.example.com.txt', 'title: //h1\nfind_string: x\n', 2, /without a replace_string/],
    ['e.example.com.txt', 'title: //h1\n\nbody: //p[re:match(., "x")]', 3, /no function re:match/],
  ];
  for (const [file, text, line, reason] of faults) {
    const report = await importFtrFile(deps(), ACTOR, file, text);
    assert.equal(report.template, undefined, file);
    assert.equal(report.faults[0]?.line, line, file);
    assert.match(report.faults[0]?.reason ?? '', reason, file);
  }
});
