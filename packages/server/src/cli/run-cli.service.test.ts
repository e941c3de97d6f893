import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { drawLines, writePage } from '../../../../test/documents/write-pdf.ts';
import { acceptLink } from '../domain/accounts/links.ts';
import { Passwords } from '../domain/accounts/passwords.ts';
import { PasswordThreads } from '../workers/password-threads.ts';
import { hashKey } from '../domain/keys/authenticate.ts';
import { runCli } from './run-cli.ts';
import { withStore } from './support/open-command-store.ts';
import { readConfig } from '../config/config.ts';
import { ARTICLE, HOSTILE_PAGE, openCommands } from './testing/commands.ts';

// Not in `before`: if a name pattern selects no test, `node --test` does not wait for it before `after`.
const { siteUrl, environment, file, run, readJsonLines, close } = await openCommands();
after(close);

test('invalid command lines exit with 2 and a reason', async () => {
  const cases = [
    [['nonsense'], /unknown command 'nonsense'/],
    [['extrct', 'x'], /Did you mean extract/],
    [['extract'], /missing required argument 'page'[^]*winnow extract --help/],
    [['extract', 'x', '--colour'], /unknown option '--colour'/],
    [['extract', 'x', '--hidden-text', 'show'], /Allowed choices are drop, keep/],
    [['extract', 'x', '--favor', 'speed'], /Allowed choices are precision, balanced, recall/],
    [['extract', 'x', '--format', 'xml'], /Allowed choices are json, text, markdown, html/],
    [['batch', '--input', 'x'], /--output <file>' not specified/],
    [['batch', '-i', 'a', '-o', 'b', '--user-agent', 'x'], /--user-agent: needs --engine/],
    [['extract', '-', '--field', 'price'], /It must be a name, "=" and a value/],
    [['extract', '-', '--field', 'price=:::'], /fields\[0\]\.selector: /],
    [
      ['extract', '-', '--field', '1=h1', '--field', '2=h2'],
      /fields\[0\]\.name: must be a letter.*; fields\[1\]\.name: /,
    ],
    [
      ['dump', 'http://x.example/', '--engine', 'http', '--wait-for', 'p', '--mhtml', 'x'],
      /options\.wait_for: needs a browser.*; options\.mhtml: needs a browser/,
    ],
    [['extract', '-', '--field', 'a=h1', '--field', 'a=h2'], /fields: must have different names/],
    [['extract', '-', '--fields', '/nowhere.json'], /--fields: no such file: \/nowhere\.json/],
    [['keys', 'create', '--project', 'p', '--expires', '7'], /time with its unit[^]*winnow keys create --help/],
    [['dump', 'http://x.example/', '--engine', 'ie6'], /ie6 is none of auto, http/],
    [
      ['extract', 'x.example', '-f', 'text', '--engine', 'http'],
      /--engine: x\.example is not fetched; a URL begins with/,
    ],
    [['extract', '-', '-f', 'text', '--timeout', '5s'], /--timeout: - is not fetched/],
    [
      ['extract', 'http://x.example/', '-f', 'text', '--url', 'http://y.example/'],
      /--url: only for HTML from a file or standard input/,
    ],
    [['batch', '-i', 'a.jsonl', '-o', './a.jsonl'], /are the same file/],
    [['projects', 'create', ' '], /must not be empty/],
    [['projects', 'create', 'x'.repeat(101)], /must have at most 100 characters/],
    [['keys', 'create', '-p', 'x', '--name', 'x'.repeat(101)], /must have at most 100 characters/],
  ] as const;
  for (const [args, message] of cases) {
    const { code, out, err } = await run(args);
    assert.equal(code, 2, args.join(' '));
    assert.match(err, message);
    assert.equal(out, '');
  }
});

test('help and version exit with 0', async () => {
  assert.deepEqual(await run(['--version']), { code: 0, out: '1.2.3\n', err: '' });
  const { code, out } = await run(['--help']);
  assert.equal(code, 0);
  for (const command of ['serve', 'extract', 'dump', 'batch', 'projects', 'keys', 'doctor']) {
    assert.match(out, new RegExp(`^  ${command}\\b`, 'm'));
  }
});

test('an invalid configuration exits with 2 and its name', async () => {
  const io = { stdin: Readable.from([]), stdout: new PassThrough(), stderr: new PassThrough() };
  const signal = new AbortController().signal;
  const code = await runCli(['keys', 'list'], { ...io, environment: { WINNOW_PROT: '1' }, signal }, '1');
  assert.equal(code, 2);
  assert.match(String(io.stderr.read()), /WINNOW_PROT/);
});

test('projects and keys: created, shown once, listed without the secret, revoked', async () => {
  const project = JSON.parse((await run(['projects', 'create', 'Team', '--json'])).out) as { id: string };
  assert.match(project.id, /^prj_/);
  const scoped = await run(['keys', 'create', '--project', 'Team', '--expires', '7d', '--name', 'ci']);
  assert.match(scoped.out, /^wk_[0-9A-Za-z]{32}\n$/);
  const keyOnly = JSON.parse((await run(['keys', 'create', '-p', project.id, '--standalone', '--json'])).out) as {
    id: string;
    key: string;
    kind: string;
    name: string;
  };
  assert.deepEqual([keyOnly.kind, keyOnly.name], ['key_only', 'command line']);
  const list = await run(['keys', 'list', '--json']);
  const keys = JSON.parse(list.out) as { id: string; expires_at: string | null; revoked_at: string | null }[];
  assert.equal(keys.length, 2);
  assert.ok(!list.out.includes(keyOnly.key) && !list.out.includes(scoped.out.trim()));
  const days = (Date.parse(keys[0]?.expires_at ?? '') - Date.now()) / 86_400_000;
  assert.ok(days > 6.9 && days <= 7, `${days} days`);
  assert.equal((await run(['keys', 'revoke', keyOnly.id])).code, 0);
  const stored = await withStore(readConfig(environment), (store) => store.keys.findByHash(hashKey(keyOnly.key)));
  assert.ok(stored?.revokedAt instanceof Date);
  assert.match((await run(['keys', 'list'])).out, /revoked/);
  assert.match((await run(['projects', 'list'])).out, /Team/);
  const absent = await run(['keys', 'create', '--project', 'nobody']);
  assert.deepEqual([absent.code, absent.out], [1, '']);
  assert.match(absent.err, /there is no project nobody/);
  assert.match((await run(['keys', 'revoke', 'key_none'])).err, /there is no key key_none/);
});

test('names from the console cannot control the terminal', async () => {
  const name = 'a\u001B[2J\nb';
  assert.match((await run(['projects', 'create', name])).err, /must not contain control characters/);
  // Accepted by an earlier version.
  const project = { id: 'prj_earlier', name, createdAt: new Date(), archivedAt: null };
  await withStore(readConfig(environment), ({ projects }) => projects.insert(project));
  const list = await run(['projects', 'list']);
  assert.match(list.out, / a\\u001b\[2J\\nb$/m);
});

// Checks: threat-terminal
test('names and pages cannot forge a line or control the terminal', async () => {
  const hostile = 'a\nwinnow: all is well\u001B[2J\u009B1m\u202E';
  const expected = String.raw`a\nwinnow: all is well\u001b[2J\u009b1m\u202e`;
  const template = { format: 1, hosts: [hostile], [hostile]: hostile };
  await writeFile(file('hostile.json'), JSON.stringify(template));
  for (const args of [
    ['extract', file(hostile)],
    ['extract', '-', '--fields', file(hostile)],
    ['batch', '-i', file(hostile), '-o', file('unused.jsonl')],
    ['batch', '-i', file('pages.jsonl'), '-o', file(path.join(hostile, 'x'))],
    ['restore', file(hostile), '--yes'],
    ['users', 'reset-password', hostile],
    ['templates', 'import', file('hostile.json')],
    ['extract', hostile, '--no-such-flag'],
  ]) {
    const { err } = await run(args);
    assert.doesNotMatch(err, /^winnow: all is well|[^\P{Cc}\n]|\u202E/mu, args.join(' '));
  }
  const { err } = await run(['extract', '-f', 'text', file(hostile)]);
  assert.equal(err, `winnow: no such file: ${file(expected)}\n`);
  const configured = await run(['keys', 'list'], '', undefined, { WINNOW_PORT: hostile });
  assert.match(configured.err, /^winnow: the configuration is not valid:\n {2}WINNOW_PORT: [^\n]*\n$/);

  // A program gets the page as it is.
  const dump = ['dump', `${siteUrl}/hostile`, '--engine', 'http'];
  assert.ok((await run(dump)).out.includes(HOSTILE_PAGE));
  const [stdout, stderr] = [Object.assign(new PassThrough(), { isTTY: true }), new PassThrough()];
  const shown = text(stdout);
  const io = { stdin: Readable.from([]), stdout, stderr, environment: environment };
  assert.equal(await runCli(dump, { ...io, signal: new AbortController().signal }, '1.2.3'), 0);
  stdout.end();
  assert.match(await shown, /<p>\\u001b\[2J\\u009b2J\\u202e\n<p>/);
});

test('users: an invitation takes projects by id or name', async () => {
  const [first, second] = await Promise.all(
    ['Desk', 'Wire'].map(
      async (name) => JSON.parse((await run(['projects', 'create', name, '--json'])).out) as { id: string },
    ),
  );
  assert.ok(first && second);
  const made = await run(['users', 'create', 'a@example.com', '-p', 'Desk', second.id, '--json']);
  const { url, role } = JSON.parse(made.out) as { url: string; role: string };
  assert.equal(role, 'member');
  const token = /[A-Za-z0-9_-]{20,}$/.exec(url)?.[0] ?? '';
  const threads = new PasswordThreads();
  const user = await withStore(readConfig(environment), async ({ accounts }) => {
    const { user: joined } = await acceptLink(
      { ...accounts, passwords: new Passwords(threads) },
      { token, email: undefined, password: 'long enough for anybody' },
    );
    return { ...joined, projectIds: await accounts.users.listProjectIds(joined.id) };
  });
  await threads.close();
  assert.deepEqual(new Set(user.projectIds), new Set([first.id, second.id]));
  assert.match((await run(['users', 'list'])).out, /a@example\.com +member/i);
  assert.match((await run(['users', 'create', 'b@example.com', '-p', 'nobody'])).err, /there is no project nobody/);
  assert.match((await run(['users', 'create', 'nobody'])).err, /not an e-mail address/);
});

test('extract: a URL, a file, a gzip file and standard input give the same content', async () => {
  await writeFile(file('page.html'), ARTICLE);
  await writeFile(file('page.html.gz'), gzipSync(ARTICLE));
  const fetched = await run(['extract', `${siteUrl}/a`, '--engine', 'http']);
  assert.equal(fetched.code, 0, fetched.err);
  const { result, metadata } = JSON.parse(fetched.out) as {
    result: Record<string, unknown>;
    metadata: Record<string, unknown>;
  };
  assert.deepEqual(
    [result['url'], result['final_url'], result['status_code'], result['engine'], result['template_id']],
    [`${siteUrl}/a`, `${siteUrl}/a`, 200, 'http', 'generic:v1'],
  );
  assert.equal(metadata['template_id'], 'generic:v1');
  assert.match(String(result['main_text']), /Spring comes late[^]*\n\n[^]*the shepherd/);
  for (const [args, stdin] of [
    [['extract', file('page.html'), '-f', 'text'], ''],
    [['extract', file('page.html.gz'), '-f', 'text'], ''],
    [['extract', '-', '-f', 'text'], ARTICLE],
  ] as const) {
    const { code, out } = await run(args, stdin);
    assert.deepEqual([code, out.trimEnd()], [0, result['main_text']]);
  }
});

test('extract: a file is what its bytes say, and a batch takes only HTML', async () => {
  await writeFile(file('report.pdf'), writePage(drawLines(['All is well in the harbour.'])));
  await writeFile(file('notes.md.gz'), gzipSync('# Harbour\n\nAll is *well* in the harbour.\n'));
  await writeFile(file('letter'), `PK\u0003\u0004word/document.xml${'\0'.repeat(90)}`);
  for (const name of ['report.pdf', 'notes.md.gz']) {
    const { out, err } = await run(['extract', file(name), '-f', 'text']);
    assert.match(out, /^(?:Harbour\n\n)?All is well in the harbour\.$/m, err);
  }
  const { code, err } = await run(['extract', file('letter'), '-f', 'text']);
  await writeFile(file('saved.mhtml'), `From: <Saved by Blink>\r\nMIME-Version: 1.0\r\n\r\n${ARTICLE}`);
  const saved = await run(['extract', file('saved.mhtml'), '-f', 'text']);
  assert.deepEqual([saved.code, /saved\.mhtml is an MHTML archive, which cannot be read$/m.test(saved.err)], [1, true]);
  assert.deepEqual([code, /letter is a Word document, which cannot be read$/m.test(err)], [1, true], err);
  const lines = ['report.pdf', 'letter'].map((name) => JSON.stringify({ id: name, html_file: file(name) }));
  const batch = await run(['batch', '--input', '-', '--output', '-'], `${lines.join('\n')}\n`);
  assert.match(batch.out, /html_file: \S*report\.pdf is no HTML, but a PDF"/);
  assert.match(batch.out, /html_file: \S*letter is a Word document, which cannot be read"/);
});

test('batch: every line gets a result, and an invalid one does not stop the rest', async () => {
  await writeFile(file('page.html.gz'), gzipSync(ARTICLE));
  const lines = [
    JSON.stringify({ id: 'inline', url: 'http://site.example/a', html: ARTICLE }),
    JSON.stringify({ id: 'file', url: null, html_file: 'page.html.gz' }),
    '{"id": "torn", ',
    '',
    JSON.stringify({ id: 'absent', html_file: 'none.html' }),
    JSON.stringify({ id: 'url only', url: `${siteUrl}/a` }),
    JSON.stringify({ id: 'empty', html: '' }),
    JSON.stringify({ id: 'inline', html: 'the same id again' }),
  ];
  await writeFile(file('pages.jsonl.gz'), gzipSync(lines.join('\n')));
  const { code, err } = await run(['batch', '-i', file('pages.jsonl.gz'), '-o', file('out.jsonl.gz'), '--json']);
  assert.equal(code, 3, err);
  const results = await readJsonLines('out.jsonl.gz');
  const byId = new Map(results.map((line) => [line['id'], line]));
  assert.equal(results.length, 7);
  const [repeated] = results.filter((line) => line['id'] === 'inline' && 'error' in line);
  assert.match(JSON.stringify(repeated), /line 8: id: duplicate id, first used on line 1/);
  byId.set('inline', results.find((line) => line['id'] === 'inline' && 'result' in line) ?? {});
  const inline = byId.get('inline') as { result: Record<string, unknown>; metadata: object; elapsed_ms: number };
  assert.match(String(inline.result['main_text']), /Spring comes late/);
  assert.equal(inline.result['url'], 'http://site.example/a');
  assert.ok(inline.elapsed_ms > 0);
  assert.deepEqual(Object.keys(inline), ['id', 'result', 'metadata', 'elapsed_ms']);
  assert.match(JSON.stringify(byId.get('file')), /Spring comes late/);
  assert.match(JSON.stringify(byId.get(null)), /"line":3,.*invalid_request.*line 3: is not JSON/);
  assert.match(JSON.stringify(byId.get('absent')), /html_file: no such file/);
  assert.match(JSON.stringify(byId.get('url only')), /neither html nor html_file/);
  assert.ok('result' in (byId.get('empty') ?? {}));
  assert.match(err, /^7 pages, 4 failed \(4 invalid_request\), /m);
  assert.match(err, /"done": 7,\n {2}"failed": 4,\n {2}"skipped": 0/);
  assert.match(err, /"failures": \{\n {4}"invalid_request": 4\n {2}\}/);
  assert.match(err, /^winnow: 4 pages failed; their lines say why, --retry-failed tries them again$/m);
});

// Checks: threat-command-files
test('extract and dump: failures have the format of the service', async () => {
  for (const args of [
    ['extract', `${siteUrl}/gone`, '--engine', 'http'],
    ['dump', `${siteUrl.replace('http://', ' ')}/gone`, '--engine', 'http', '--json'],
  ]) {
    const { code, out, err } = await run(args);
    assert.equal(code, 1);
    const { error } = JSON.parse(out) as { error: Record<string, unknown> };
    assert.deepEqual(
      [error['code'], error['stage'], error['upstream_status_code']],
      ['http_status_not_ok', 'fetch', 404],
    );
    assert.match(err, /http_status_not_ok/);
  }
  assert.match((await run(['extract', 'http://10.0.0.1/'])).out, /url_not_allowed/);
  assert.match((await run(['extract', file('none.html'), '-f', 'text'])).err, /no such file/);
});

test('dump: HTML, optionally filtered or to a file', async () => {
  const plain = await run(['dump', `${siteUrl}/a`, '--engine', 'http']);
  assert.equal(plain.out, `${ARTICLE}\n`);
  const filtered = await run([
    'dump',
    `${siteUrl}/a`,
    '--engine',
    'http',
    '--filter',
    '--json',
    '-o',
    file('dump.html'),
  ]);
  const facts = JSON.parse(filtered.out) as Record<string, unknown>;
  assert.deepEqual([facts['engine'], facts['status_code'], facts['html']], ['http', 200, undefined]);
  const html = await readFile(file('dump.html'), 'utf8');
  assert.ok(!html.includes('<script>') && html.includes('Spring comes late'));
  const packed = await run(['dump', `${siteUrl}/a`, '--engine', 'http', '-o', file('dump.html.gz')]);
  assert.deepEqual([packed.out, gunzipSync(await readFile(file('dump.html.gz'))).toString()], ['', ARTICLE]);
});

// Checks: threat-command-files
test('pipes and devices in place of files are named and never waited for', async () => {
  execFileSync('mkfifo', [file('pipe')]);
  await writeFile(
    file('special.jsonl'),
    ['pipe', '/dev/zero', '/proc/self/environ']
      .map((name) => JSON.stringify({ id: name, url: null, html_file: name }))
      .join('\n'),
  );
  const { code } = await run(['batch', '-i', file('special.jsonl'), '-o', file('special-out.jsonl')]);
  assert.equal(code, 3);
  const reasons = (await readJsonLines('special-out.jsonl')).map(({ error }) => (error as { message: string }).message);
  for (const reason of [
    /html_file: .*pipe is a named pipe/,
    /\/dev\/zero is a device/,
    /environ is a file of the kernel/,
  ])
    assert.ok(
      reasons.some((one) => reason.test(one)),
      reasons.join(),
    );
  const out = ['-o', file('unused.jsonl')];
  for (const args of [
    ['extract', file('pipe')],
    ['extract', '-', '--fields', file('pipe')],
    ['batch', '-i', file('pipe'), ...out],
    ['templates', 'import', file('pipe')],
  ])
    assert.match((await run(args)).err, /^winnow: .*pipe is a named pipe$/m, args.join(' '));
  const configured = await run(['keys', 'list'], '', undefined, { WINNOW_SECRET_KEY_FILE: file('pipe') });
  assert.match(configured.err, /WINNOW_SECRET_KEY_FILE: .*pipe is a named pipe$/m);
  const endless = await run(['extract', '-', '-f', 'text'], Buffer.alloc(2000), undefined, {
    WINNOW_MAX_PAGE_BYTES: '1024',
  });
  assert.match(endless.err, /^winnow: standard input is larger than 1 KiB \(WINNOW_MAX_PAGE_BYTES\)$/m);
});

test('extract: fields are read by selectors, from flags and from a file', async () => {
  const html = `<!doctype html><h1>Lamp</h1>${'<p>The lamp lights the harbour wall, and the harbour road, for many years.</p>'.repeat(6)}<b class="price">12.50</b><i>red</i><i>blue</i>`;
  await writeFile(file('lamp.html'), html);
  const wanted = [
    { name: 'price', selector: '.price', type: 'number' },
    { name: 'colours', selector: 'i', all: true },
  ];
  await writeFile(file('fields.json'), JSON.stringify(wanted));
  const flags = ['--field', 'name=h1', '--field', 'none=.absent', '--fields', file('fields.json')];
  const { code, out, err } = await run(['extract', file('lamp.html'), '--url', 'https://shop.example/lamp', ...flags]);
  assert.deepEqual({ code, err }, { code: 0, err: '' });
  const { fields } = (JSON.parse(out) as { result: { fields: object } }).result;
  assert.deepEqual(fields, { name: 'Lamp', none: null, price: 12.5, colours: ['red', 'blue'] });
  const plain = await run(['extract', file('lamp.html')]);
  assert.equal('fields' in (JSON.parse(plain.out) as { result: object }).result, false);
});

test('extract: --favor precision leaves out text that --favor recall includes', async () => {
  const sentence = '<p>The lamp lights a whole room, and its arm of brass bends to every side of the desk.</p>';
  const page = `<!doctype html><title>Brass lamp | Lamp house</title><main><article><h1>Brass lamp</h1>${sentence.repeat(4)}</article>
<aside class="box"><p>What is asked in the town: whether the lamp burns oil.</p></aside></main>`;
  await writeFile(file('favored.html'), page);
  const read = async (favor: string): Promise<string> => {
    const { code, out, err } = await run(['extract', file('favored.html'), '-f', 'text', '--favor', favor]);
    assert.deepEqual({ code, err }, { code: 0, err: '' });
    return out;
  };
  const [precise, complete] = [await read('precision'), await read('recall')];
  for (const content of [precise, complete]) assert.match(content, /its arm of brass/);
  assert.match(complete, /asked in the town/);
  assert.doesNotMatch(precise, /asked in the town/);
});

test('extract: a page without main content gives the same error as the service', async () => {
  await writeFile(file('empty.html'), '<title>Nothing</title><body></body>');
  const { code, out } = await run(['extract', file('empty.html')]);
  assert.equal(code, 1);
  assert.match(out, /"code": "no_template_matched"[^]*no main content/);
  assert.equal((await run(['extract', file('empty.html'), '--format', 'text'])).out, '');
});

const NOT_FOUND = `<!doctype html><html lang="en"><title>Page not found</title><main><h1>Page not found</h1>
<p>Sorry, the page you are looking for does not exist. It may have been moved or deleted since you last came here.</p></main>`;

test('what is doubtful about a page is said on standard error too, and may fail the command', async () => {
  await writeFile(file('gone.html'), NOT_FOUND);
  const gone = await run(['extract', file('gone.html'), '--format', 'text', '--fail-on-warning']);
  assert.equal(gone.code, 3);
  assert.match(gone.err, /^winnow: warning: soft_404: \S.*\nwinnow: the result has warnings\n$/);
  assert.equal(gone.out.trim(), '');
  await writeFile(file('sound.html'), ARTICLE);
  const sound = await run(['extract', file('sound.html'), '--format', 'text', '--fail-on-warning']);
  assert.deepEqual([sound.code, sound.err], [0, '']);
  await writeFile(file('mixed.jsonl'), [NOT_FOUND, ARTICLE].map((html, id) => JSON.stringify({ id, html })).join('\n'));
  const batch = await run(['batch', '-i', file('mixed.jsonl'), '-o', file('mixed-out.jsonl'), '--json']);
  assert.match(batch.err, /2 pages, 0 failed, 1 with warnings,/);
  assert.match(batch.err, /"warned": 1,/);
});

test('extract: a host without its scheme is recognised', async () => {
  for (const address of ['https://example.com', 'https://news.example.org/today?x=1', 'http://127.0.0.1:8080/a']) {
    const { code, err } = await run(['extract', address.slice(address.indexOf('//') + 2)]);
    assert.equal(code, 1);
    assert.ok(err.includes(`to fetch the page, write ${address}`), err);
  }
  await writeFile(file('letter.docx'), `PK\u0003\u0004word/document.xml${'\0'.repeat(90)}`);
  const before = process.cwd();
  process.chdir(path.dirname(file('letter.docx')));
  try {
    // A file of that name exists, so the name is not taken for a host's.
    assert.match(
      (await run(['extract', 'letter.docx', '-f', 'text'])).err,
      /letter\.docx is a Word .* cannot be read$/m,
    );
  } finally {
    process.chdir(before);
  }
});

test('a database that cannot be opened is reported in one line with the reason', async () => {
  const dataDir = file('no-database');
  const list = async (): Promise<string> => {
    const { code, err } = await run(['keys', 'list'], '', undefined, { WINNOW_DATA_DIR: dataDir });
    assert.equal(code, 1);
    return err.replace(dataDir, 'DATA');
  };
  await mkdir(dataDir);
  const database = path.join(dataDir, 'winnow.db');
  await writeFile(database, 'nothing of the kind');
  const damaged = 'file is not a database; the file is damaged: restore a backup (winnow restore)';
  assert.equal(await list(), `winnow: the database DATA/winnow.db cannot be opened: ${damaged}\n`);
  await rm(database);
  assert.equal((await run(['keys', 'list'], '', undefined, { WINNOW_DATA_DIR: dataDir })).code, 0);
  const later = new DatabaseSync(database);
  later.exec("insert into kysely_migration values ('9999-later', '2030-01-01')");
  later.close();
  const reason = 'it was created by another version of Winnow, with the migrations 9999-later';
  assert.equal(await list(), `winnow: the database DATA/winnow.db cannot be opened: ${reason}\n`);
});

test('system errors about files are reported in one line', async () => {
  await writeFile(file('one.jsonl'), '{"id":"1","html":"<p>x"}\n');
  const output = path.join(file('one.jsonl'), 'results.jsonl');
  const { code, err } = await run(['batch', '--input', file('one.jsonl'), '--output', output]);
  assert.equal(code, 1);
  assert.match(err, /^winnow: --output: no such folder: .*one\.jsonl$/m);
  const settings = { WINNOW_DATA_DIR: path.join(file('one.jsonl'), 'data') };
  const keys = await run(['keys', 'list'], '', undefined, settings);
  assert.equal(keys.code, 1);
  assert.match(keys.err, /^winnow: [^\n]*ENOTDIR[^\n]*\n$/);
  assert.doesNotMatch(err, /^ {4}at /m);
});

test('migrate-store reads its target from the environment, so that other users cannot see the password', async () => {
  const settings = { WINNOW_DATA_DIR: file('move') };
  assert.equal((await run(['keys', 'list'], '', undefined, settings)).code, 0);
  const none = await run(['migrate-store'], '', undefined, settings);
  assert.equal(none.code, 2);
  assert.equal(none.err, 'winnow: WINNOW_DATABASE_URL or --to must name the PostgreSQL database\n');
  const wrong = { ...settings, WINNOW_DATABASE_URL: `postgres://u:secret@/winnow?host=${file('no-socket')}` };
  const away = await run(['migrate-store'], '', undefined, wrong);
  assert.equal(away.code, 1);
  assert.match(away.err, /^winnow: the PostgreSQL database cannot be opened: .*ENOENT.*no-socket/);
});

test("a slow PostgreSQL is named while the command waits, and a rejected sign-in in the server's words, both without the password", async (t) => {
  const refusal = Buffer.from('SFATAL\0C28P01\0Mpassword authentication failed\0\0');
  const header = Buffer.from([0x45, 0, 0, 0, refusal.length + 4]);
  const server = createTcpServer((socket) => {
    const refuse = (): void => void setTimeout(() => socket.end(Buffer.concat([header, refusal])), 1000);
    socket.on('error', () => undefined).once('data', refuse);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `postgres://user:secret@127.0.0.1:${port}/winnow`;
  const said = t.mock.method(process.stderr, 'write', () => true);
  try {
    const { code, err } = await run(['keys', 'list'], '', undefined, { WINNOW_DATABASE_URL: url });
    const notices = said.mock.calls.map((call) => String(call.arguments[0]));
    assert.deepEqual(notices, [`winnow: waiting for the PostgreSQL database at 127.0.0.1:${port}\n`]);
    assert.equal(code, 1);
    assert.match(err, /^winnow: the PostgreSQL database cannot be opened: [^\n]*password authentication failed\n$/);
    assert.doesNotMatch(err, /secret/);
  } finally {
    server.close();
  }
});

test('dump: a file is not looked up as a host', async () => {
  await writeFile(file('saved.html'), ARTICLE);
  for (const name of [file('saved.html'), path.relative(process.cwd(), file('saved.html')), './saved.html', '-']) {
    const { code, err } = await run(['dump', name, '--engine', 'http']);
    assert.deepEqual([code, err], [2, `winnow: ${name} is not a URL; winnow extract reads files and standard input\n`]);
  }
});

test('dump: a picture of the page, to a file', async () => {
  const picture = file('page.webp');
  const { code, err } = await run([
    'dump',
    `${siteUrl}/a`,
    '--engine',
    'chrome',
    '--screenshot',
    picture,
    '--full-page',
    '-o',
    file('pictured.html'),
  ]);
  assert.deepEqual({ code, err }, { code: 0, err: '' });
  assert.equal((await readFile(picture)).toString('latin1', 8, 12), 'WEBP');
  const png = file('page.png');
  const mhtml = file('page.mhtml');
  const both = [
    'dump',
    `${siteUrl}/a`,
    '--engine',
    'chrome',
    '--screenshot',
    png,
    '--mhtml',
    mhtml,
    '-o',
    file('b.html'),
  ];
  assert.deepEqual(await run(both), { code: 0, out: '', err: '' });
  assert.equal((await readFile(png)).toString('latin1', 1, 4), 'PNG');
  assert.ok((await readFile(mhtml, 'utf8')).includes(`Snapshot-Content-Location: ${siteUrl}/a`));
  const refused = await run(['dump', `${siteUrl}/a`, '--engine', 'http', '--screenshot', picture]);
  assert.equal(refused.code, 2);
  assert.match(refused.err, /options\.screenshot: needs a browser/);
  const alone = await run(['dump', `${siteUrl}/a`, '--full-page']);
  assert.equal(alone.code, 2);
  assert.match(alone.err, /--full-page: needs --screenshot/);
});
