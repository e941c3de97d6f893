import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ARTICLE, document } from '../../../../../test/site/route.ts';
import { findRefresh } from '../../domain/shells/find-refresh.ts';
import { createShellJudge } from '../../domain/shells/judge-shell.ts';
import { SHELL_RULES } from '../../domain/shells/shell-rules.ts';
import { WALL_PAGES } from '../../../../../test/interface/wall-pages.ts';
import { BLOCK_RULES } from './block-rules.ts';
import { classifyBlock } from './judge-response.ts';
import { countVisibleText, readTitleText } from '../../domain/shells/html-heuristics.ts';
import type { Capture } from '../../domain/capture/capture-ports.ts';

void test('block pages are recognised by their marks', () => {
  const pages: [string, number, string, Record<string, string>?][] = [
    ['challenge header', 403, document('<p>hi</p>'), { 'cf-mitigated': 'challenge' }],
    ['script challenge', 503, document('<script>window._cf_chl_opt={}</script>', 'Just a moment...')],
    [
      'denied by a firewall',
      403,
      document('<h1>Access Denied</h1>You do not have permission. Reference&#32;&#35;18.2d3e', 'Access Denied'),
    ],
    ['captcha with status 200', 200, document('<div class="h-captcha"></div>', 'Are you a robot?')],
    ['dd', 403, document(`<script data-cfasync="false">var dd={'rt':'c','cid':'AHrl','hsh':'2F','t':'fe'}</script>`)],
    ['px', 403, document('<div id="px-captcha"></div>')],
    ['unusual traffic', 429, document('<p>Our systems have detected unusual traffic from your network.</p>')],
    ['please enable', 200, document('<p>Enable JavaScript and cookies to continue</p>')],
  ];
  for (const { name, html } of WALL_PAGES.filter(({ code }) => code === 'fetch_blocked')) pages.push([name, 200, html]);
  for (const [about, statusCode, html, headers = {}] of pages) {
    assert.ok(classifyBlock({ statusCode, headers, html }), about);
  }
});

void test('pages about captchas and blocking are not block pages', () => {
  const pages: [string, number, string][] = [
    [
      'an article about captchas',
      200,
      document(
        `${ARTICLE}<p>The captcha asks: are you a robot? Verify you are human.</p>`,
        'Are you a robot? A history of the captcha',
      ),
    ],
    ['a form with a captcha', 200, document(`${ARTICLE}<form><div class="g-recaptcha"></div></form>`, 'Contact us')],
    ['a plain 403', 403, document('<h1>Forbidden</h1>', '403 Forbidden')],
    [
      'an article about a block page',
      200,
      document(
        `${ARTICLE}<h2>Sorry, you have been blocked</h2><p>The requested URL was rejected, and an Incapsula incident ID is shown.</p>`,
      ),
    ],
    [
      'a gateway time-out of a content network',
      504,
      document('<div id="cf-error-details"><h1>Gateway time-out</h1><span class="cf-error-code">504</span></div>'),
    ],
    ['a plain 404', 404, document('<h1>Not found</h1>', 'Not found')],
    ['a login page', 200, document('<form>Sign in <div class="g-recaptcha"></div></form>', 'Sign in')],
    [
      'the beacon of a firewall on an ordinary page',
      200,
      document(`${ARTICLE}<script src="/cdn-cgi/challenge-platform/scripts/jsd/main.js"></script>`),
    ],
  ];
  for (const [about, statusCode, html] of pages) {
    assert.equal(classifyBlock({ statusCode, headers: {}, html }), undefined, about);
  }
});

// Checks: threat-expensive-check
void test('a page of 10 MiB is not a block page, and checking it hardly delays the event loop', () => {
  const html = '<svg></svg>'.repeat(950_000);
  const before = process.threadCpuUsage();
  for (const statusCode of [401, 403, 405, 406, 429, 503])
    assert.equal(classifyBlock({ statusCode, headers: {}, html }), undefined);
  assert.ok(classifyBlock({ statusCode: 403, headers: { 'cf-mitigated': 'challenge' }, html }));
  const { user, system } = process.threadCpuUsage(before);
  const cpuMs = (user + system) / 1000;
  // Searching the whole page would take more than 100 ms per status.
  assert.ok(cpuMs < 200, `${cpuMs} ms of processor time`);
});

void test('app shells are distinguished from pages', async () => {
  const judge = createShellJudge();
  const budget = { timeoutMs: 1000, signal: new AbortController().signal };
  const verdict = async (html: string): Promise<boolean> =>
    (await judge({ html, finalUrl: 'https://example.com/' } as Capture, budget)).sufficient;
  const shells = [
    document('<div id="root"></div><script src="/app.js"></script>'),
    document('<app-root></app-root><script src="/main.js"></script>'),
    document(
      '<div id="app"><!-- --></div><footer>Imprint. Privacy. All rights reserved by the owners of this site.</footer>',
    ),
    document(`<noscript>You need to enable JavaScript to run this app.</noscript><p>${'menu '.repeat(60)}</p>`),
    document('<div class="page-loader"></div><p>Loading…</p>'),
  ];
  for (const html of shells) assert.equal(await verdict(html), false, html.slice(0, 200));
  const pages = [
    document(ARTICLE),
    document(`<div id="root">${ARTICLE}</div><script src="/app.js"></script>`),
    document('<h1>It works</h1>'),
    document(`${ARTICLE}<noscript>Please enable JavaScript for comments.</noscript><script></script>`),
  ];
  for (const html of pages) assert.equal(await verdict(html), true, html.slice(0, 200));
});

void test('the HTML heuristics count visible text only, in one pass', () => {
  const html =
    '<head><title> A\n title </title><style>p{}</style></head><!-- x --><p>one <b>two</b></p><script>let a = "<p>no</p>"</script><p>three';
  assert.equal(countVisibleText(html, 1000), 'one'.length + 'two'.length + 'three'.length);
  assert.equal(countVisibleText('<p>abc', 2), 2);
  assert.equal(readTitleText(html), 'A title');
  const start = process.threadCpuUsage();
  countVisibleText('<script '.repeat(200_000), 1000);
  countVisibleText('<'.repeat(1_000_000), 1000);
  countVisibleText('<script>'.repeat(200_000), 1000);
  classifyBlock({ statusCode: 403, headers: {}, html: '<noscript '.repeat(100_000) });
  assert.ok(process.threadCpuUsage(start).user < 5_000_000, 'linear time');
});

/** Repeated starts of matches that never complete. */
const BEGINNINGS = [
  '<script',
  '<script ',
  '<script>',
  '<script>var dd',
  '<script>var dd={',
  '<script>var dd={"',
  '<title',
  '<title>',
  '<div',
  '<div ',
  '<div id=root ',
  '<div id=root>',
  '<div id=root> ',
  '<div id=root><!---->',
  '<!--<div id=root-->',
  '<app-root',
  '<app-root ',
  '<app-root>',
  '<app-root> ',
  '<noscript',
  '<noscript>',
  '<noscript>enable java',
  '<noscript>java script ',
  'class="',
  "class='",
  'skeleton ',
  'class="skeleton',
  '>',
  '> ',
  '>loading',
  '>loading ',
  '<meta',
  '<meta ',
  '<meta http-equiv',
  '<meta http-equiv ',
  '<meta http-equiv=refresh ',
  '<meta http-equiv=refresh content="',
  '<svg>',
  'class="cf-error-code" ',
  'id="captcha-form" ',
  'http-equiv=refresh ',
  '<',
  ' ',
  '<!--',
  '-->',
  'enable ',
  'requires java ',
  'verify ',
  'incident ',
  'you are ',
  'security ',
];
const OPENINGS = [
  '',
  '<!--',
  '<a class="',
  '<meta ',
  '<meta http-equiv=',
  '<form ',
  '<div ',
  '<div id=root>',
  '<noscript>',
  '>loading',
];

/** Returns the shortest of several run times in milliseconds, which excludes noise of the machine. */
function fastestMs(work: () => unknown, runs: number): number {
  const times = Array.from({ length: runs }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return Math.min(...times);
}

// Checks: threat-expensive-page
void test('every rule takes linear time on repetitive pages', () => {
  const expressions = [...BLOCK_RULES, ...SHELL_RULES].flatMap(({ html }) => (html ? [html] : []));
  const looks: [string, (html: string) => unknown][] = [
    ...expressions.map((html): [string, (page: string) => unknown] => [html.source, (page) => html.test(page)]),
    ...BLOCK_RULES.flatMap(({ title }): [string, (page: string) => unknown][] =>
      title ? [[title.source, (page) => title.test(page)]] : [],
    ),
    ['the title', readTitleText],
    ['the refresh', (page) => findRefresh(`<meta http-equiv=refresh>${page}`, 'https://example.com/', page)],
    ['the search for a refresh', (page) => findRefresh(page, 'https://example.com/')],
    ['the visible text', (page) => countVisibleText(page, Infinity)],
  ];
  for (const opening of OPENINGS) {
    for (const unit of BEGINNINGS) {
      const page = (length: number): string => opening + unit.repeat(Math.ceil(length / unit.length));
      const [small, large] = [page(12_500), page(200_000)];
      for (const [name, look] of looks) {
        // For 16 times the page, linear work takes 16 times as long, quadratic work 256 times.
        const isLinear = (runs: number): boolean =>
          fastestMs(() => look(large), runs) <= 100 + 64 * fastestMs(() => look(small), runs);
        assert.ok(isLinear(1) || isLinear(3), `${name} on ${opening}${unit}${unit}…`);
      }
    }
  }
});
