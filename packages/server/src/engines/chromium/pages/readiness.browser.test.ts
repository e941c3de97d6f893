import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { ARTICLE, MARK } from '../../../../../../test/site/route.ts';
import { CaptureError } from '../../../domain/capture/capture-error.ts';
import { assertFails } from '../../testing/assert-fails.ts';
import type { ChromiumEngineName } from './readiness.ts';
import { BROWSER_ENGINES } from '../../testing/browser-engines.ts';
import { startSharedEngines } from '../../../composition/testing/test-site-engines.ts';

const { site, capture, get, close } = await startSharedEngines(6);
after(close);

const FILLED = BROWSER_ENGINES.filter((engine) => engine !== 'vendor_dcl');

/** Test pages with the engines that must capture them; docs/engines.md has the same table. */
const PROMISES: Readonly<Record<string, readonly ChromiumEngineName[]>> = {
  '/static': BROWSER_ENGINES,
  '/sandboxed': BROWSER_ENGINES,
  '/many': BROWSER_ENGINES,
  '/endless-mutation': BROWSER_ENGINES,
  '/shadow': BROWSER_ENGINES,
  '/client-redirect': BROWSER_ENGINES,
  '/header-refresh-late': FILLED,
  '/client': FILLED,
  '/client-slow': FILLED,
  '/client-rows': FILLED,
  '/client-component': FILLED,
  '/client-route#!/today': FILLED,
  '/chained': FILLED,
  '/worker': ['vendor_dom', 'stable'],
  '/late': ['stable'],
  '/hanging-image': ['vendor_lite', 'vendor_dcl', 'vendor_dom', 'stable'],
};
const MARKS: Readonly<Record<string, string>> = { '/shadow': 'declarative shadow text', '/late': `>${MARK}` };

// Most of the time is spent waiting.
void describe('pages that engines must capture', { concurrency: 3 }, () => {
  for (const [path, engines] of Object.entries(PROMISES)) {
    void test(`${path} is captured by ${engines.length === BROWSER_ENGINES.length ? 'every engine' : engines.join(', ')}`, async () => {
      const work = engines.map(async (engine) => {
        const { html, partial } = await get(engine, path);
        assert.ok(html.includes(MARKS[path] ?? MARK), `${engine} ${path}: ${html.slice(0, 400)}`);
        assert.equal(partial, false, `${engine} ${path}`);
      });
      await Promise.all(work);
    });
  }
});

void test('a readiness only waits for the events that it guarantees', async () => {
  assert.ok(!(await get('vendor_dcl', '/client-slow')).html.includes(MARK));
  assert.ok(!(await get('chrome', '/late')).html.includes(`>${MARK}`));
});

void test('a finished page is not awaited because of a left-over or hidden placeholder', async () => {
  for (const path of ['/finished-beside-spinner', '/finished-beside-hidden-shell']) {
    const work = (['vendor_lite', 'chrome', 'stable'] as const).map(async (engine) => {
      const { html } = await get(engine, path);
      assert.ok(!html.includes('nobody waits for this</p></body>'), `${engine} ${path}`);
    });
    await Promise.all(work);
  }
});

void test('an app shell that waits for a visitor sees the pointer move', async () => {
  const page = await get('vendor_lite', '/late-visitor');
  assert.ok(page.html.split(MARK).length > 10 && !page.partial, page.html);
});

void test('a page that stays an app shell is captured at the deadline', async () => {
  const { html, partial } = await get('vendor_lite', '/late-shell?ms=600000', 8000);
  assert.ok(html.includes('list-skeleton'), html);
  assert.ok(partial, 'it is not finished');
});

void test('stable scrolls through the page', async () => {
  const { html } = await get('stable', '/lazy');
  assert.equal(html.match(/<p>section \d+/g)?.length, 12);
});

void test('vendor_lite never requests images, fonts, media and style sheets', async () => {
  const from = site.requests.length;
  const { html } = await get('vendor_lite', '/styled?lite');
  assert.ok(html.includes(MARK));
  const requested = site.requests
    .slice(from)
    .filter((request) => /pixel\?(?:styled|css)|style\.css|video|font/.test(request));
  assert.deepEqual(requested, []);
  await get('stable', '/styled?stable');
  assert.ok(site.requests.slice(from).some((request) => request.includes('/style.css')));
});

void describe('what captures contain', { concurrency: 3 }, () => {
  void test('the HTML has the doctype, all kinds of shadow roots and frames of the same origin', async () => {
    const paths = ['/shadow', '/iframe', '/object-frame?src=/static'];
    const pages = await Promise.all(paths.map((path) => get('vendor_dom', path)));
    const [shadow = '', frames = '', objects = ''] = pages.map(({ html }) => html);
    assert.match(shadow, /^<!DOCTYPE html>/i);
    for (const kind of ['open', 'closed', 'declarative']) assert.ok(shadow.includes(`${kind} shadow text`), kind);
    assert.ok(frames.includes(`srcdoc="`) && frames.includes(MARK), frames);
    assert.ok(
      frames.includes('the innermost frame') && frames.includes('inside &quot;srcdoc&quot; &amp;amp; more'),
      frames,
    );
    assert.ok(!frames.includes('data-winnow-frame'));
    assert.match(objects, /<object [^<>]*srcdoc="[^"]*the content that was waited for/);
    assert.match(objects, /<embed [^<>]*srcdoc="[^"]*the innermost frame/);
  });

  void test('frames of other origins are captured if the page has little text of its own', async () => {
    const src = encodeURIComponent(`${site.named('other.test')}/static`);
    const { html } = await get('vendor_dom', `/foreign-frame?src=${src}`);
    assert.match(html, /width="600" height="400" srcdoc="[^"]*the content that was waited for/);
    assert.match(html, /height:0;border:0" srcdoc="[^"]*" data-winnow-unrendered=""/);
    assert.ok(!(await get('vendor_dom', `/article-beside-frame?src=${src}`)).html.includes('srcdoc='));
  });

  void test("a frame's srcdoc is replaced by its current document", async () => {
    const { html } = await get('vendor_dom', '/rendered-srcdoc');
    assert.equal(html.match(/ srcdoc=/g)?.length, 1, html);
    assert.ok(html.includes(`<p id=&quot;p&quot;>${MARK}</p>`), html);
    assert.match(html, /<iframe class="a" title="b" srcdoc=/);
  });

  void test('XHTML is serialised as HTML', async () => {
    const { html } = await get('vendor_lite', '/xhtml-empty-elements');
    for (const part of ['<a id="top"></a>', '<script src="/none.js"></script>', '1 &lt; 2', 'srcdoc='])
      assert.ok(html.includes(part), `${part}: ${html}`);
  });

  void test('undeclared text is decoded as in the http engine', async () => {
    for (const path of ['/undeclared-utf8', '/undeclared-latin1', '/no-such-charset']) {
      const { html } = await get('vendor_dcl', path);
      assert.ok(html.includes('Grüße'), `${path}: ${html}`);
    }
  });

  // Checks: threat-encoding
  void test('encoding tricks are decoded as in browsers', async () => {
    const expected: Readonly<Record<string, string>> = {
      '/utf16be': 'Grüße, 東京',
      '/bom-against-header': 'Grüße, 東京',
      '/utf7': '+ADw-script+AD4-',
    };
    for (const [path, text] of Object.entries(expected)) {
      const { html } = await get('vendor_dcl', path);
      assert.ok(html.includes(text), `${path}: ${html}`);
    }
    // The browser shows a single replacement character.
    await assertFails(get('vendor_dcl', '/replacement'), 'unsupported_content', '/replacement');
  });

  // Checks: threat-broken-http
  void test('wrong lengths and endless headers get the same errors as in the http engine', async () => {
    for (const path of ['/lengths-differ', '/negative-length', '/bad-chunk-size', '/huge-chunk'])
      await assertFails(get('vendor_dcl', path), 'connect_failed', path);
    await assertFails(get('vendor_dcl', '/drip-headers', 2500), 'fetch_timeout', 'headers');
  });

  // Checks: threat-expensive-page
  void test('a page that copies frame marks gets each frame once', async () => {
    const { html } = await get('vendor_lite', '/frame-marks');
    assert.ok(html.includes(MARK));
    assert.equal(html.match(/srcdoc=/g)?.length, 8, html);
    assert.doesNotMatch(html, /data-winnow-frame="[0-9a-f]/);
    // Eighty copies in the frames and in the page; each frame's document appears once.
    assert.ok(html.length < 30_000, `${html.length} characters`);
  });

  // Checks: threat-hidden-text
  void test('unrendered elements with text are marked, and content that a reader can open is not', async () => {
    const { html } = await get('chrome', '/hidden-by-sheet');
    const MARKED = ' data-winnow-unrendered=""';
    for (const part of [
      `<div class="ads none"${MARKED}><p id="inner">text of display none`,
      `<p class="unseen"${MARKED}>text of visibility hidden`,
      `<div class="unseen"><p${MARKED}>text beside a visible part</p><p style="visibility:visible">visible part`,
      `<p class="faint"${MARKED}>text of opacity zero`,
      '<p class="faint moves">text that moves in',
      `<p class="skipped"${MARKED}>text of skipped content`,
      `<div class="skipped"${MARKED}><p>inner text of skipped content`,
      `<form class="none"${MARKED}>`,
      '<details><summary>More</summary><p>text of details',
      '<div hidden="until-found"><p>text found by search',
      '<div class="none"></div>',
      '<p>text that the page marks',
      `<p class=&quot;none&quot;${MARKED.replaceAll('"', '&quot;')}>text in a frame`,
      `<p class="none"${MARKED}>text in a shadow root`,
    ])
      assert.ok(html.includes(part), `${part}: ${html}`);
  });

  // Checks: threat-hidden-text
  void test('a page cannot remove the marks of unrendered elements', async () => {
    for (const engine of ['chrome', 'vendor_dom'] as const) {
      const { html } = await get(engine, '/removes-marks');
      assert.ok(html.includes('<p class="none" data-winnow-unrendered="">text for machines'), html);
      assert.ok(html.includes('<x-text class="none" data-winnow-unrendered="">text of a custom element'), html);
    }
  });

  void test('noscript content stays markup in captures with marks', async () => {
    const { html } = await get('chrome', '/hidden-by-sheet?noscript');
    assert.ok(html.includes('<noscript><p>Scripts are off.</p></noscript>'), html);
  });

  void test('dialogs are answered and permissions denied', async () => {
    const [dialogs, permissions] = await Promise.all([get('chrome', '/dialogs'), get('vendor_dom', '/permissions')]);
    assert.ok(dialogs.html.includes(`confirm said false, prompt said null. ${MARK}`), dialogs.html);
    assert.match(permissions.html, /answers: denied, refused 1/);
  });
});

void test('status, headers, redirects, sizes and the final URL come from the network', async () => {
  const page = await get('vendor_dcl', '/redirect-chain?n=2');
  assert.equal(page.statusCode, 200);
  assert.equal(page.finalUrl, `${site.origin}/static`);
  assert.deepEqual(
    page.redirects.map(({ statusCode }) => statusCode),
    [302, 302, 302],
  );
  assert.equal(page.contentType, 'text/html; charset=utf-8');
  assert.ok((page.bodyBytes ?? 0) > ARTICLE.length && (page.transferBytes ?? 0) > ARTICLE.length);
  assert.ok((await get('vendor_dcl', '/cookie-redirect')).html.includes(MARK));
  assert.equal((await get('vendor_dcl', '/static#part')).finalUrl, `${site.origin}/static#part`);
  assert.equal((await get('vendor_dcl', '/history')).finalUrl, `${site.origin}/history/pushed`);
});

void test('a request repeated with client hints is not reported as a redirect', async () => {
  const { html, redirects } = await get('vendor_dcl', '/critical-hint');
  assert.deepEqual([html.includes(MARK), redirects], [true, []]);
  assert.equal(site.requests.filter((path) => path === '/critical-hint').length, 2);
});

void test('requests look like those of a browser and identify the service', async () => {
  const { html } = await get('vendor_dcl', '/headers');
  assert.match(html, /user-agent: Mozilla\/5\.0 .* Winnow\/\d/);
  assert.match(html, /accept-language: en-US,en;q=0\.9\n/);
  assert.ok(!html.includes('Headless'), html);
});

void test('navigations by the page itself are followed', async () => {
  for (const path of ['/client-redirect', '/meta-refresh']) {
    assert.equal((await get('vendor_dom', path)).finalUrl, `${site.origin}/static`, path);
  }
});

const refresh = (content: string, more = ''): string => `/states-refresh?content=${encodeURIComponent(content)}${more}`;

void test('a page that refreshes itself, has much text or redirects after the deadline is not awaited', async () => {
  for (const path of [
    refresh('30'),
    refresh('30; url=#news'),
    refresh('30; url=/static', '&article'),
    refresh('600; url=/static'),
  ]) {
    const page = await get('vendor_lite', path);
    assert.deepEqual([page.finalUrl, page.redirects], [site.origin + path, []], path);
    assert.ok((page.timings['ready'] ?? Infinity) < 30_000, `${path}: ${JSON.stringify(page.timings)}`);
  }
});

void test('the choice that an answer names is opened, up to the limit of redirects', async () => {
  for (const engine of ['vendor_dcl', 'chrome_cdp'] as const) {
    const { finalUrl, redirects } = await get(engine, '/choice');
    assert.equal(finalUrl, `${site.origin}/static?from=choice`);
    assert.deepEqual(redirects, [{ url: `${site.origin}/choice`, statusCode: 300 }]);
    await assertFails(get(engine, '/choice?to=/choice?to=ftp://127.0.0.1/'), 'egress_denied', engine);
    await assertFails(get(engine, '/choice-loop'), 'too_many_redirects', engine);
  }
});

void test('HTTPS uses the browser proxy, and a wrong certificate is tls_failed', async () => {
  assert.ok((await capture('chrome', `https://site.test:${site.httpsPort}/client`)).statusCode === 200);
  await assertFails(capture('chrome', `https://site.test:${site.port}/static`), 'tls_failed', 'no TLS there');
});

void test('statuses, blocks and other content get the same errors as in the http engine', async () => {
  for (const [path, status] of [
    ['/404', 404],
    ['/403', 403],
    ['/500', 500],
  ] as const) {
    const error = await assertFails(get('vendor_dcl', path), 'http_status_not_ok', path);
    assert.equal(error.upstreamStatusCode, status);
    assert.ok(error instanceof CaptureError && error.capture, path);
  }
  await assertFails(get('vendor_dcl', '/block'), 'fetch_blocked', '/block');
  for (const path of ['/json', '/text', '/pdf', '/image', '/download', '/empty-204']) {
    await assertFails(get('vendor_dcl', path), 'unsupported_content', path);
  }
  for (const path of ['/404-json', '/404-download']) {
    assert.equal((await assertFails(get('vendor_dcl', path), 'http_status_not_ok', path)).upstreamStatusCode, 404);
  }
});

void test('a status without a page is reported without a retry', async () => {
  let requests = 0;
  for (const origin of [site.origin, `https://site.test:${site.httpsPort}`]) {
    for (const engine of ['vendor_dcl', 'chrome_cdp'] as const) {
      const error = await assertFails(capture(engine, `${origin}/304`), 'http_status_not_ok', `${engine} ${origin}`);
      assert.equal(error.upstreamStatusCode, 304);
      requests += 1;
      assert.equal(site.requests.filter((path) => path === '/304').length, requests);
    }
  }
});

void test('XML is accepted if it is XHTML, and never as the tree shown by the browser', async () => {
  assert.ok((await get('vendor_dcl', '/xhtml-as-xml')).html.includes(MARK));
  for (const [path, type] of [
    ['/xml', 'application/xml'],
    ['/xml-styled', 'text/xml'],
    ['/feed', 'application/rss+xml'],
  ] as const) {
    const { message } = await assertFails(get('vendor_dcl', path), 'unsupported_content', path);
    assert.ok(message.includes(`content of type ${type},`), message);
  }
});

void test('files served as HTML are rejected', async () => {
  for (const kind of ['pdf', 'gif', 'png', 'jpeg', 'zip', 'json']) {
    await assertFails(get('vendor_dcl', `/${kind}-as-html`), 'unsupported_content', kind);
  }
  assert.ok((await get('vendor_dcl', '/text-about-files')).html.includes(MARK));
});

void test('a redirect to an unsupported target is refused as in the http engine', async () => {
  const credentials = site.origin.replace('//', '//user:secret@');
  for (const [target, reason] of [
    [`${credentials}/static`, /the URL carries credentials$/],
    ['ftp://127.0.0.1/', /the URL has the scheme ftp/],
    ['shop-app://open', /the URL has the scheme shop-app/],
    ['javascript:void 0', /the URL has the scheme javascript/],
    ['/redirect-to?to=javascript:1', /the URL has the scheme javascript/],
  ] as const) {
    const work = get('vendor_dcl', `/redirect-to?to=${encodeURIComponent(target)}`);
    assert.match((await assertFails(work, 'egress_denied', target)).message, reason);
  }
  const staying = await get('vendor_dom', `/stays?for=${encodeURIComponent('/redirect-to?to=shop-app://open')}`);
  assert.ok(staying.html.includes(MARK), 'the current page stays');
});
