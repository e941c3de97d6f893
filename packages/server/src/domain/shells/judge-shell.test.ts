import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ARTICLE, document, PARAGRAPH } from '../../../../../test/site/route.ts';
import type { Capture } from '../capture/capture-ports.ts';
import { findUnreadFrames } from './find-embedded.ts';
import { createShellJudge, judgeShell } from './judge-shell.ts';
import { findPatience } from './shell-rules.ts';
import type { ShellJudgeWorker } from './judge-shell.ts';
import { WorkerExtractor } from '../../workers/worker-extractor.ts';
import { WorkerPool } from '../../workers/worker-pool.ts';

const isSufficient = async (body: string, more: Partial<Capture> = {}): Promise<boolean> => {
  const capture = { engine: 'http', finalUrl: 'https://example.com/news?a=1&b=2', html: document(body), ...more };
  const budget = { timeoutMs: 1000, signal: new AbortController().signal };
  return (await createShellJudge()(capture as Capture, budget)).sufficient;
};

const meta = (content: string): string => `<meta http-equiv="refresh" content="${content}">`;

void test('pages that soon redirect are rejected, in any syntax and with any text', async () => {
  for (const html of [
    meta('0; url=/real'),
    '<meta content="0; url=/real" http-equiv=refresh>',
    '<META HTTP-EQUIV=Refresh CONTENT=0;/real>',
    meta('0; /real'),
    meta('0,/real'),
    meta('0 /real'),
    meta('.5; URL = &quot;/real&quot;'),
    meta("5;url='https://example.org/'"),
    meta('1; url=?a=1&amp;b=3'),
    `<script>'</scrip'</script><!-- > -->${meta('0; /real')}`,
  ]) {
    assert.equal(await isSufficient(html), false, html);
    assert.equal(await isSufficient(html + ARTICLE), false, `${html}, with text`);
  }
  assert.equal(await isSufficient(ARTICLE, { refresh: '0; url=/real' }), false, 'the header');
  assert.equal(await isSufficient('<h1>Please wait</h1>', { refresh: '20; url=/real' }), false, 'late, without text');
  assert.equal(await isSufficient(meta('20; url=/real') + around('<p>Moved.</p>')), false, 'late, beside a menu');
});

void test('pages that reload themselves, or redirect only after time to read, are accepted', async () => {
  for (const content of [
    '300',
    '0',
    '5;',
    '5; url=',
    '3; url=?a=1&amp;b=2#top',
    '3; https://example.com/news?a=1&b=2',
    '30; url=/real',
    '0; url=app://open',
    'soon; url=/real',
    '; url=/real',
  ])
    assert.ok(await isSufficient(meta(content) + ARTICLE), content);
  assert.ok(await isSufficient('<h1>Ferries today</h1>', { refresh: '900; url=/real' }), 'beyond any time');
  for (const refresh of ['300', '20; url=/real']) assert.ok(await isSufficient(ARTICLE, { refresh }), refresh);
  for (const html of [
    `<noscript>${meta('0; url=/without-scripts')}</noscript>`,
    `<!-- ${meta('0; url=/old')} -->`,
    `<script>document.write('${meta('0; url=/written')}')</script>`,
    `<textarea>${meta('0; url=/example')}</textarea>`,
    '<meta name="refresh" content="0; url=/real">',
  ])
    assert.ok(await isSufficient(html + ARTICLE), html);
  assert.ok(await isSufficient(meta('0; url=/real') + ARTICLE, { engine: 'vendor_lite' }), 'captured by a browser');
});

const SCRIPT = '<script src="/app.js"></script>';
const MENU = `<nav>${'<a href="/">One of many places</a> '.repeat(20)}</nav>`;
const IMPRINT = `<footer><p>${'Printed and published by the company in the harbour town. '.repeat(12)}</p></footer>`;
const around = (main: string): string => MENU + main + IMPRINT;
const INTRODUCTION = `<h1>Offers</h1><p>${PARAGRAPH} ${PARAGRAPH} ${PARAGRAPH}</p>`;

void test('pages whose content scripts have still to fill in are rejected, whatever stands around it', async () => {
  const unfilled: Readonly<Record<string, string>> = {
    'a skeleton of a component library': around(`<main><div class="MuiSkeleton-root css-1x"></div></main>${SCRIPT}`),
    'an animated placeholder': around(`<div class="row"><p class="animate-pulse"></p></div>${SCRIPT}`),
    'a spinner in a text': around(`<section><i class="fa page-loader"></i></section>${SCRIPT}`),
    'a text in another language': around(`<main><p>Bitte warten …</p></main>${SCRIPT}`),
    'a text in a third language': around(`<main><p>Φόρτωση…</p><p>${PARAGRAPH}</p></main>${SCRIPT}`),
    'a step of a start': around(`<main><p>Fetching the offers …</p><p>${PARAGRAPH}</p></main>${SCRIPT}`),
    'a label of an element': around(`<main><p>${PARAGRAPH}</p><div aria-label="Loading..."></div></main>${SCRIPT}`),
    'a label of a picture': around(`<main><p>${PARAGRAPH}</p><img src="/wait.gif" alt="Please wait"></main>${SCRIPT}`),
    'a progress bar': around(`<main><div role="progressbar"></div></main>${SCRIPT}`),
    'a region whose data attribute says that it loads': around(
      `${INTRODUCTION}<section data-loading="true"><p>Wait</p></section>${SCRIPT}`,
    ),
    'a region in the state of loading': around(
      `<main>${INTRODUCTION.repeat(2)}<div data-state="pending"></div></main>${SCRIPT}`,
    ),
    ...Object.fromEntries(
      [
        'Un momento, por favor',
        'Un attimo…',
        'Ett ögonblick...',
        'Περιμένετε',
        'Chwileczkę',
        '取得中',
        '稍等…',
        'يرجى الانتظار',
        'Syncing…',
      ].map((text) => [`the text ${text}`, around(`<main>${INTRODUCTION}<div>${text}</div></main>${SCRIPT}`)]),
    ),
    'a busy region': around(`${INTRODUCTION}<section aria-busy="true"><div></div></section>${SCRIPT}`),
    'a custom element': around(`<shop-window data-shop="4"></shop-window>${SCRIPT}`),
    'slots of a shadow root': around(
      `<info-card><h2 slot="title">Opening hours</h2><p slot="text">${PARAGRAPH}</p></info-card>${SCRIPT}`,
    ),
    'an empty main part': around(`<main class="wide"><div class="inner"></div></main>${SCRIPT}`),
    'an empty part below a menu': around(`<div id="center-column"></div>${SCRIPT}`),
    'an htmx request on load': around(`${INTRODUCTION}<div hx-get="/offers" hx-trigger="load"></div>${SCRIPT}`),
    'an htmx request on scroll': `${INTRODUCTION}<ul data-hx-get="/more" data-hx-trigger="revealed once"></ul>${SCRIPT}`,
    'a turbo frame': around(`${INTRODUCTION}<turbo-frame id="offers" src="/offers"></turbo-frame>${SCRIPT}`),
    'a list by its id': around(
      `<main>${INTRODUCTION}<ul id="offers"></ul></main><script>fetch("/o").then(r=>r.json()).then(show("#offers"))</script>`,
    ),
    'a list by its class': around(
      `<main>${INTRODUCTION}<table class="wide rates"></table></main><script>$.getJSON("/o", d => $(".rates").append(d))</script>`,
    ),
    'parts by their data, requested when they are seen': around(
      `<main>${INTRODUCTION}${'<section data-part-no="4"></section>'.repeat(3)}</main><script>for (const part of document.querySelectorAll("section")) watch(part, () => fetch("/part/" + part.dataset.partNo))</script>`,
    ),
    'a list that a script of another file gives to a function': around(
      `<main>${INTRODUCTION}<div id="offers"></div></main><script>const s = document.createElement("script"); s.src = "/offers?callback=show"; function show(all) { fill("#offers", all) }; document.body.append(s)</script>`,
    ),
    'a table without rows below much text': around(
      `<main>${INTRODUCTION.repeat(3)}<table><thead><tr><th>Day</th></tr></thead><tbody></tbody></table></main>${SCRIPT}`,
    ),
    'a custom element below a text': around(
      `<main><p>${`${PARAGRAPH} `.repeat(4)}</p><shop-window></shop-window></main>${SCRIPT}`,
    ),
    'parts by an attribute in a selector': around(
      `<main>${INTRODUCTION}<div data-offers></div></main><script>$("div[data-offers]").load("/offers")</script>`,
    ),
    'a list of an external script': around(`<main>${INTRODUCTION}<div class="search-results"></div></main>${SCRIPT}`),
    'rows of a table, by the name of the table': around(
      `<main>${INTRODUCTION}<table id="tides"><thead><tr><th>Day</th></tr></thead><tbody></tbody></table></main><script>fetch("/t").then(fill("#tides tbody"))</script>`,
    ),
    'rows of a table, by an external script': around(
      `<div>${INTRODUCTION}<table><tr><th>Day</th></tr><tbody></tbody></table></div>${SCRIPT}`,
    ),
    'an empty list outside a main part': around(`<div><div>${INTRODUCTION}<ul class="jobs"></ul></div></div>${SCRIPT}`),
    'nothing below the last heading': around(
      `<div>${INTRODUCTION}<h2>Open positions</h2><div id="openings"></div></div>${SCRIPT}`,
    ),
    'an item for each of the data': around(
      `<main>${INTRODUCTION}<div v-for="offer in offers"><h2>{{ offer.name }}</h2></div></main>${SCRIPT}`,
    ),
    'a template for each of the data': around(
      `<main>${INTRODUCTION}<template x-for="a in b"><p x-text="a.c"></p></template></main>${SCRIPT}`,
    ),
    'an included part': around(`<main>${INTRODUCTION}<div w3-include-html="offers.html"></div></main>${SCRIPT}`),
    'an animated picture': around(`<main><p>${PARAGRAPH}</p><img src="/i/ajax-loader.gif" alt=""></main>${SCRIPT}`),
    'an endless progress bar': around(`<main><p>${PARAGRAPH}</p><progress></progress></main>${SCRIPT}`),
    'an element that an event handler fills': '<body onload="start()"><div id="content"></div>',
    'a script that opens another page later': `<p>${PARAGRAPH}</p><script>setTimeout(() => { window.location.href = "/new" }, 4000)</script>`,
    'a text that says that another page follows': around(
      `<h1>New address</h1><p>${PARAGRAPH}</p><p>You will be redirected in a moment.</p>${SCRIPT}`,
    ),
    'such a text in another language': `<p>${PARAGRAPH} Sie werden gleich weitergeleitet.</p>${SCRIPT}`,
    'a custom element named as a spinner': around(
      `<div><div><p>${PARAGRAPH}</p><wait-spinner>One step left</wait-spinner></div></div>${SCRIPT}`,
    ),
    'a custom element with an address': around(
      `<main>${INTRODUCTION.repeat(2)}<part-of-page src="/offers"><p>Not yet here</p></part-of-page></main>${SCRIPT}`,
    ),
    'an element with an address in its data': around(
      `<main>${INTRODUCTION.repeat(2)}<div data-controller="offers" data-offers-url-value="/offers"></div></main>${SCRIPT}`,
    ),
    'several placeholders below a text': around(
      `<main><p>${`${PARAGRAPH} `.repeat(3)}</p>${'<div class="card-skeleton"></div>'.repeat(4)}</main>${SCRIPT}`,
    ),
    'a part that an external script fills, below a text': around(
      `<main><p>${PARAGRAPH} ${PARAGRAPH}</p><div id="positions"></div></main>${SCRIPT}`,
    ),
    'one empty list below much text': `<main><p>${`${PARAGRAPH} `.repeat(6)}</p><ul id="tides"></ul></main>${SCRIPT}`,
    'a loading row below much text': around(
      `<main>${INTRODUCTION.repeat(3)}<table><tbody><tr><td>Retrieving the trips …</td></tr></tbody></table></main>${SCRIPT}`,
    ),
    'a loading item below much text': around(
      `<div>${INTRODUCTION.repeat(3)}<ol><li>Inhalte werden geladen</li></ol></div>${SCRIPT}`,
    ),
    'a text in the place of news': around(
      `<main>${INTRODUCTION}<p>${`${PARAGRAPH} `.repeat(3)}</p><h2>News</h2><p>読み込んでいます</p></main>${SCRIPT}`,
    ),
    'an element for a component on the client': around(
      `<div>${INTRODUCTION.repeat(2)}<div data-react-class="TripList" data-react-props="{}"></div></div>${SCRIPT}`,
    ),
    'a request of an attribute': around(
      `<div>${INTRODUCTION.repeat(2)}<div data-on-load__delay.500ms="@get('/trips')"></div></div>${SCRIPT}`,
    ),
    'little but a name of a template': around(`<h2>{{ trip.title }}</h2><p>All trips</p>${SCRIPT}`),
    'a part that the server renders later': around(
      `<main>${INTRODUCTION}<p>Prices follow</p><script async type="module" data-island-id="p-7">load()</script></main>`,
    ),
    'an event stream': around(
      `<main>${INTRODUCTION}<ul hx-ext="sse" sse-connect="/departures" sse-swap="line"></ul></main>${SCRIPT}`,
    ),
    'markup of data': around(`<div>${INTRODUCTION}<div v-html="offers.body"></div></div>${SCRIPT}`),
    'data that an element requests itself': around(
      `<main>${INTRODUCTION}<div x-data="{ all: [] }" x-init="all = await (await fetch('/o')).json()"></div></main>${SCRIPT}`,
    ),
    'an item for each of the data, by a comment': around(
      `<main>${INTRODUCTION}<div><!-- ko foreach: offers --><p data-bind="text: name"></p><!-- /ko --></div></main>${SCRIPT}`,
    ),
    'names in place of values': around(
      `<div><h2>{{ offer.name }}</h2><p>Only until {{offer.end | date}}</p><p>${PARAGRAPH}</p></div>${SCRIPT}`,
    ),
    'a row that stands in for others': around(
      `<main>${INTRODUCTION}<table id="trips"><tr><th>Day</th></tr><tbody><tr><td>None so far</td></tr></tbody></table></main><script>fetch("/t").then(fill("#trips tbody"))</script>`,
    ),
    'a sign that stands in for a text': around(
      `<main>${INTRODUCTION}<output class="height">–</output></main><script>axios("/h").then(fill(".height"))</script>`,
    ),
    'a demand for scripts in another language': `<noscript>Für diese Seite ist JavaScript einzuschalten, bitte aktivieren.</noscript><h1>Offers</h1><p>${PARAGRAPH} ${PARAGRAPH}</p>${SCRIPT}`,
    'a demand for scripts in other words': `<noscript><p>Works with JavaScript switched on only.</p></noscript><h1>Offers</h1><p>${PARAGRAPH} ${PARAGRAPH}</p>${SCRIPT}`,
    'a script in a frame that the page contains': `<iframe srcdoc="&lt;p id=a&gt;&lt;/p&gt;&lt;script&gt;load()&lt;/script&gt;"></iframe>`,
    'a placeholder in a frame in a frame': around(
      `<iframe srcdoc='<iframe srcdoc="&lt;div class=&amp;quot;spinner&amp;quot;&gt;&lt;/div&gt;"></iframe>'></iframe>`,
    ),
    'a handler that opens another page later': `<body onload="setTimeout('location.href = &quot;/new&quot;', 4000)"><p>${PARAGRAPH}</p>`,
    'a script that opens another page after it has waited': `<p>${PARAGRAPH}</p><script>const go = async () => { await wait(3000); window.location.assign("/new") }; go()</script>`,
    'a script that counts down to another page': `<p>${PARAGRAPH}</p><script>setInterval(() => { left -= 1; if (left === 0) location.replace("/new") }, 1000)</script>`,
    'a script that redirects later by a function': `<p>${PARAGRAPH}</p><script>function redirectNow() { location = "/new" } window.setTimeout(redirectNow, 3000)</script>`,
    'a page that only frames another': around('<h1>Timetable</h1><iframe src="/table.html" width="600"></iframe>'),
    'a frame below a text that explains it': around(
      `<h1>Timetable</h1><p>${'words '.repeat(60)}</p><iframe src="/table.html" width="600"></iframe>`,
    ),
    'a frameset': '</body><frameset cols="20%,*"><frame src="menu.html"><frame src="text.html"></frameset>',
    'an embedded document': around('<object data="/report.pdf" type="application/pdf"></object>'),
  };
  for (const [name, html] of Object.entries(unfilled)) assert.equal(await isSufficient(html), false, name);
  for (const finalUrl of ['https://example.com/#/offers/7', 'https://example.com/#?offer=7'])
    assert.equal(await isSufficient(ARTICLE + SCRIPT, { finalUrl }), false, finalUrl);
  for (const script of [
    'window.addEventListener("hashchange", show)',
    'const part = location.hash.slice(1); if (part) fetch("/parts/" + part).then(show)',
  ])
    assert.equal(
      await isSufficient(`${ARTICLE}<script>${script}</script>`, { finalUrl: 'https://example.com/#part=7' }),
      false,
      script,
    );
});

void test('placeholders are recognised by the names of many libraries and in many languages', async () => {
  const names = ['mat-mdc-circular-progress', 'v-progress-circular', 'ant-spin', 'lds-ripple', 'sk-folding-cube'];
  for (const name of [...names, 'dot-typing', 'ph-item', 'ghost-row', 'fa animate-spin', 'text throbber'])
    assert.equal(
      await isSufficient(around(`<main><p>${PARAGRAPH}</p><div class="${name}"></div></main>`)),
      false,
      name,
    );
  for (const name of ['ant-spinach', 'task-circle', 'folds-x', 'dot-line', 'ghostwriter', 'progress-bar'])
    assert.equal(
      await isSufficient(`<main><p>${PARAGRAPH} ${PARAGRAPH}</p><div class="${name}">1</div></main>${SCRIPT}`),
      true,
      name,
    );
  for (const text of [
    'Hang tight',
    'Searching …',
    'Bezig met laden',
    'Trwa ładowanie',
    'Идёт загрузка',
    'Vui lòng chờ',
    '加載中',
  ])
    assert.equal(await isSufficient(around(`<main><p>${PARAGRAPH}</p><p>${text}</p></main>`)), false, text);
  for (const text of ['Searching for the perfect cheese', 'Odotamme teitä', 'Patience pays', 'Hold on to your hats'])
    assert.equal(
      await isSufficient(`<main><p>${PARAGRAPH} ${PARAGRAPH}</p><p>${text}</p></main>${SCRIPT}`),
      true,
      text,
    );
  for (const text of [
    'If you are not redirected, press the button.',
    'We are taking you to the shop.',
    '5秒後に移動します。',
  ])
    assert.equal(await isSufficient(around(`<p>${PARAGRAPH}</p><p>${text}</p>${SCRIPT}`)), false, text);
});

void test('filled pages with left-over placeholders, frames and empty elements are accepted', async () => {
  const filled: Readonly<Record<string, string>> = {
    'a hidden spinner': `${ARTICLE}<div class="spinner"></div>${SCRIPT}`,
    'an empty component': `${ARTICLE}<cookie-notice></cookie-notice><x-player></x-player>${SCRIPT}`,
    'a picture that is loaded late': around(
      `<main><p>${PARAGRAPH} ${PARAGRAPH}</p><img src="/loading.gif" data-src="/boat.jpg"></main>${SCRIPT}`,
    ),
    'an advertisement below a heading': around(
      `<article><h2>Boats</h2><div class="b1"></div><p>${PARAGRAPH} ${PARAGRAPH}</p></article>${SCRIPT}`,
    ),
    'a progress bar with a value': around(
      `<main><p>${PARAGRAPH} ${PARAGRAPH}</p><progress value="3" max="9"></progress></main>${SCRIPT}`,
    ),
    'a turbo frame with content': `${ARTICLE}<turbo-frame id="a" src="/a"><p>${PARAGRAPH}</p></turbo-frame>${SCRIPT}`,
    'a request on a click': `${ARTICLE}<div hx-get="/more" hx-trigger="click"></div>${SCRIPT}`,
    'an empty element of an article': `${ARTICLE}<div id="map"></div>${SCRIPT}`,
    'empty parts of dialogs below a short page': `<h1>Contact</h1><p>${PARAGRAPH} ${PARAGRAPH}</p><div id="fb-root"></div><div id="modal-root"></div>${SCRIPT}`,
    'a small frame': `${ARTICLE}<iframe src="/ad.html"></iframe>`,
    'a table of empty cells': around(
      `<main>${INTRODUCTION.repeat(3)}<table><tbody><tr><td></td></tr></tbody></table></main>${SCRIPT}`,
    ),
    'titles that are cut off': around(
      `<main><p>${PARAGRAPH} ${PARAGRAPH}</p><p>Starting a garden of your own…</p></main>${SCRIPT}`,
    ),
    'a click that opens another page in a moment': `<p>${PARAGRAPH} ${PARAGRAPH}</p><script>on("click", () => setTimeout(function () { window.location.href = "/cart" }, 200))</script>`,
    'a link that is followed a bit later': `<p>${PARAGRAPH} ${PARAGRAPH}</p><script>function count(link) { setTimeout('document.location = "' + link.href + '"', 100) }</script>`,
    'an article about another page': `${ARTICLE}<p>You will be redirected there in a moment.</p>${SCRIPT}`,
    'one placeholder below a text': `<main><p>${`${PARAGRAPH} `.repeat(4)}</p><div class="skeleton"></div></main>${SCRIPT}`,
    'an address of a picture in data': `<main>${INTRODUCTION}<img data-src="/boat.jpg"><div data-url="https://example.org/"></div><p>${PARAGRAPH}</p></main>${SCRIPT}`,
    'an empty bar of a host for which a script requests data': `<div id="navbar-box"></div>${INTRODUCTION}<script>fetch("/bar").then(fill("navbar-box"))</script>`,
    'a hidden frame': `<p>${PARAGRAPH}</p><iframe src="/count.html" width="0" height="0"></iframe>`,
    'slots of a shadow root in the markup': `<x-a><template shadowrootmode="open"><slot></slot></template><p slot="b">${PARAGRAPH} ${PARAGRAPH}</p></x-a>${SCRIPT}`,
    'an empty part whose data no script reads': `${INTRODUCTION}<div data-id="4"></div><script>fetch("/count")</script>`,
    'data in a script': `<p>${PARAGRAPH} ${PARAGRAPH}</p><script type="application/json">{"location":1}</script>`,
    'a frame with a text, in a page without': `<main id="app"><iframe srcdoc="<p class=&quot;a&quot;>${PARAGRAPH} ${PARAGRAPH} ${PARAGRAPH}</p>"></iframe></main>${SCRIPT}`,
    'an unfilled frame that nobody sees': `<p>${PARAGRAPH} ${PARAGRAPH}</p><iframe srcdoc="<div class=&quot;spinner&quot;></div>" data-winnow-unrendered=""></iframe>${SCRIPT}`,
    'one name of a template': around(
      `<main><p>Still {{ sum }} until delivery is free.</p><p>${PARAGRAPH} ${PARAGRAPH}</p></main>${SCRIPT}`,
    ),
    'names of a template in code': around(
      `<main><pre>{{ offer.name }}</pre><p>Write <code>{{ offer.end }}</code>. ${PARAGRAPH} ${PARAGRAPH}</p></main>${SCRIPT}`,
    ),
    'a part of the head that the server renders later': around(
      `<header><script data-island-id="cart">load()</script></header><main><p>${PARAGRAPH} ${PARAGRAPH}</p></main>`,
    ),
    'a timer beside a link that scripts follow': `<p>${PARAGRAPH} ${PARAGRAPH}</p><script>setInterval(tick, 1000); ${'step(); '.repeat(60)}function open(a) { location.href = a }</script>`,
    'links alone': around(
      `<main><ul>${'<li><a href="/a">A long title of one of many entries</a></li>'.repeat(40)}</ul></main>${SCRIPT}`,
    ),
  };
  for (const [name, html] of Object.entries(filled)) assert.equal(await isSufficient(html), true, name);
  for (const finalUrl of ['https://example.com/#top', 'https://example.com/#'])
    assert.equal(await isSufficient(ARTICLE + SCRIPT, { finalUrl }), true, finalUrl);
  const finalUrl = 'https://example.com/#tide%20times';
  const anchored = `${ARTICLE}<h2 id="tide times">Tides</h2><script>addEventListener("hashchange", mark)</script>`;
  assert.equal(await isSufficient(anchored, { finalUrl }), true, 'an element that the fragment names');
  const counted = `${ARTICLE}<script>count(location.hash)</script>`;
  assert.equal(await isSufficient(counted, { finalUrl }), true, 'a fragment that is only counted');
  const rendered = { finalUrl: 'https://example.com/#/offers/7', engine: 'vendor_lite' } as const;
  assert.equal(await isSufficient(ARTICLE + SCRIPT, rendered), true, 'a route in the fragment, in a browser');
});

void test('a rendered page of a few words is worth waiting for, one of links or of a text is not', () => {
  const outline = { ownText: 7, linkText: 0, isScripted: true, hasMedia: false, signs: {} };
  assert.equal(findPatience(outline, false), 5000);
  assert.equal(findPatience({ ...outline, ownText: 0, linkText: 200 }, false), 5000);
  assert.equal(findPatience({ ...outline, ownText: 300, signs: { announced: 1 } }, false), 8000);
  assert.equal(findPatience({ ...outline, ownText: 700, signs: { said: 1, placeholder: 1 } }, false), 5000);
  assert.equal(findPatience({ ...outline, ownText: 900, signs: { deferred: 1 } }, false), 2500);
  for (const finished of [
    { ownText: 1600, signs: { said: 1 } },
    { ownText: 60 },
    { linkText: 200 },
    { ownText: 0, linkText: 500 },
    { isScripted: false },
    { hasMedia: true },
    { ownText: 900, signs: { announced: 1 } },
  ])
    assert.equal(findPatience({ ...outline, ...finished }, false), 0, JSON.stringify(finished));
});

const MIB = 1024 * 1024;
/** Markup without text in which many patterns start to match. */
const COSTLY = [
  '<div id=root ',
  '<noscript>enable ',
  '<!-- <meta http-equiv=refresh ',
  '<app-root ',
  '<script ',
  'class="',
  'id=a id=',
  '<p class=x ',
  '<div slot="',
  '<div></p>',
  '<x-a><b>',
  '<div onload=a ',
  '<img src=loader',
  '<h2></h2><div id=a></div>',
  '<div data-x-url=',
  '<script>setTimeout(location= </script>',
];

// Checks: threat-expensive-check
void test('large pages get the same verdict in a process as on the event loop', async (t) => {
  const pool = new WorkerPool({ workers: 1, memoryBytes: 512 * MIB, maxQueue: 10 });
  t.after(() => pool.close());
  const extractor = new WorkerExtractor(pool);
  // On a busy machine the start of the process alone takes seconds; the next test covers the limit.
  const threadWithoutLimit: ShellJudgeWorker = {
    judgeShell: (page, { signal }) => extractor.judgeShell(page, { timeoutMs: 60_000, signal }),
  };
  const judge = createShellJudge(threadWithoutLimit);
  const budget = { timeoutMs: 60_000, signal: new AbortController().signal };
  const captureOf = (body: string, more: Partial<Capture> = {}): Capture =>
    ({ engine: 'http', finalUrl: 'https://example.com/', html: document(body), ...more }) as Capture;
  for (const small of ['<div id="root"></div>', ARTICLE])
    assert.deepEqual(await judge(captureOf(small), budget), await createShellJudge()(captureOf(small), budget));
  assert.equal(pool.state.workers, 0, 'small pages need no process');
  const padding = `<style>${' '.repeat(MIB)}</style>`;
  const verdicts: boolean[] = [];
  for (const page of [
    captureOf(`${padding}<div id="root"></div>`),
    captureOf(padding + ARTICLE),
    captureOf(`${padding}${meta('0; url=/real')}${ARTICLE}`),
    captureOf(padding + ARTICLE, { refresh: '0; url=/real' }),
    captureOf(padding + ARTICLE, { engine: 'chrome', refresh: '0; url=/real' }),
    ...COSTLY.map((piece) => captureOf(piece.repeat(MIB / piece.length))),
  ]) {
    const verdict = await judge(page, budget);
    assert.deepEqual(verdict, await createShellJudge()(page, budget));
    verdicts.push(verdict.sufficient);
  }
  assert.deepEqual(verdicts.slice(0, 5), [false, true, false, false, true]);
  assert.equal(pool.state.workers, 1);
});

// Checks: threat-expensive-check
void test('a large page is accepted if no process judges it in time, unless the caller aborts', async () => {
  const html = document(ARTICLE.padEnd(MIB));
  const capture = { engine: 'http', finalUrl: 'https://example.com/', html } as Capture;
  const stop = new AbortController();
  const times: number[] = [];
  const judge = createShellJudge({
    judgeShell: async (_page, { timeoutMs }) => {
      times.push(timeoutMs);
      throw new Error('no process');
    },
  });
  const budget = { timeoutMs: 60_000, signal: stop.signal };
  assert.equal((await judge(capture, budget)).sufficient, true);
  assert.deepEqual(times, [5000]);
  stop.abort();
  await assert.rejects(judge(capture, budget), /no process/);
});

const repeat = (piece: string): string => piece.repeat(250_000 / piece.length);
const EMPTY_PARTS = Array.from({ length: 50 }, (_, index) => `<div id=${'a'.repeat(index + 2)}></div>`).join('');

// Checks: threat-expensive-check
void test('the largest pages without a process take little processor time', () => {
  const pages: Readonly<Record<string, string>> = {
    'scripts that open pages': `<script>${repeat(`${'setTimeout('.repeat(5)}${'location='.repeat(8)}${' '.repeat(60)},1)`)}</script>`,
    'slots in open elements': '<div>'.repeat(2000) + repeat('<p slot="">'),
    'names of empty parts': `${EMPTY_PARTS}<script>fetch(1);${repeat('a')}</script>`,
    'names of lists': `<main>${repeat(`<section ${'class= '.repeat(280)}></section>`)}`,
  };
  for (const [name, html] of Object.entries(pages)) {
    assert.ok(html.length < 256 * 1024, name);
    const times = [1, 2, 3].map(() => {
      const start = process.threadCpuUsage();
      judgeShell({ engine: 'http', finalUrl: 'https://example.com/', html });
      return process.threadCpuUsage(start).user / 1000;
    });
    assert.ok(Math.min(...times) < 200, `${name}: ${Math.min(...times)} ms`);
  }
});

// Checks: threat-expensive-check
void test('a page with a quarter of a million characters of tags before its text counts as one with text', () => {
  const judge = (tags: number): boolean => {
    const html = `<script src=a></script><iframe src=/b></iframe>${'<div></div>'.repeat(tags)}`;
    assert.equal(findUnreadFrames(html, 'https://example.com/').length, tags < 1000 ? 1 : 0);
    return judgeShell({ engine: 'http', finalUrl: 'https://example.com/', html }).sufficient;
  };
  assert.equal(judge(100), false);
  assert.equal(judge(100_000), true);
});
