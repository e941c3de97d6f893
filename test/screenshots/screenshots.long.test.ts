import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { dumpResponseSchema, extractResponseSchema } from '@winnow/contract';
import { assertRefused } from '../support/assert-refused.ts';
import type { Body } from '../support/running-service.ts';
import { startCanary } from '../site/canary.ts';
import { pngSize, webpSize } from './picture-size.ts';
import { startServiceWithFiles } from '../documents/service-with-files.ts';
import { assertNeedsProjectKey, HTML, readSnapshotFile, SENTENCE } from './snapshot-files.ts';

const { running, files, dump, close } = await startServiceWithFiles();
after(close);

const TALL = `<!doctype html><title>Tall</title><body style="margin:0"><h1>The market</h1>${SENTENCE.repeat(8)}<div style="height:3000px;background:linear-gradient(red,blue)"></div>`;

/** Downloads the screenshot of an answer and checks its size. */
async function readPicture(screenshot: Body['screenshot']): Promise<Buffer> {
  assert.ok(screenshot);
  const { bytes } = await readSnapshotFile(running, screenshot, screenshot.media_type);
  const { width, height } = screenshot;
  const sizeOf = screenshot.media_type === 'image/png' ? pngSize : webpSize;
  assert.deepEqual(sizeOf(bytes), { width, height });
  return bytes;
}

for (const engine of ['chrome', 'chrome_cdp', 'vendor_lite', 'vendor_dcl', 'vendor_dom', 'stable']) {
  test(`engine_preference ${engine} takes a screenshot of the viewport and of the full page`, async () => {
    const url = files.add('/tall', TALL, HTML);
    const first = await dump(url, { engine_preference: engine, screenshot: 'viewport' });
    dumpResponseSchema.strict().parse(first);
    assert.ok(
      first.screenshot && !first.screenshot.cut && first.screenshot.height < 2000,
      JSON.stringify(first.screenshot),
    );
    await readPicture(first.screenshot);
    const whole = await dump(url, { engine_preference: engine, screenshot: 'full_page' });
    assert.ok(
      whole.screenshot && !whole.screenshot.cut && whole.screenshot.height > 3000,
      JSON.stringify(whole.screenshot),
    );
    await readPicture(whole.screenshot);
  });
}

test('auto chooses `stable` when a screenshot is requested', async () => {
  const { engine, screenshot } = await dump(files.add('/tall', TALL, HTML), { screenshot: 'viewport' });
  assert.equal(engine, 'stable');
  await readPicture(screenshot);
});

test('with device mobile, the screenshot has the width of a phone', async () => {
  const { screenshot } = await dump(files.add('/tall', TALL, HTML), {
    engine_preference: 'chrome',
    device: 'mobile',
    screenshot: 'viewport',
  });
  assert.ok(screenshot && screenshot.width < 1000);
  await readPicture(screenshot);
});

const SEES_WINDOW = `<!doctype html><title>Window</title><h1>The market</h1>${SENTENCE}
<p id="far" style="margin-top:3000px">far</p><pre id="seen"></pre><script>
const seen = {
  window: [innerWidth, innerHeight, outerWidth, outerHeight, devicePixelRatio], screen: [screen.width, screen.height],
  page: [document.documentElement.clientWidth, document.documentElement.scrollHeight], media: matchMedia('(width > 1000px)').matches,
};
const show = () => { document.getElementById('seen').textContent = JSON.stringify(seen); };
new IntersectionObserver(([{ isIntersecting, rootBounds }]) => {
  seen.far = [isIntersecting, rootBounds.width, rootBounds.height];
  let frames = 0;
  const count = () => { if ((frames += 1) < 5) requestAnimationFrame(count); else { seen.frames = frames; show(); } };
  requestAnimationFrame(count);
}).observe(document.getElementById('far'));
</script>`;

for (const device of ['desktop', 'mobile']) {
  test(`with device ${device}, a page sees the same window with and without a screenshot`, async () => {
    const url = files.add('/window', SEES_WINDOW, HTML);
    const seen = async (options: object): Promise<string | undefined> => {
      const { html } = await dump(url, { engine_preference: 'vendor_dom', device, ...options });
      return /<pre id="seen">(.*)<\/pre>/.exec(html)?.[1];
    };
    const painted = await seen({ screenshot: 'viewport' });
    assert.match(painted ?? '', /"far":\[false,\d+,\d+\],"frames":5/);
    assert.equal(await seen({}), painted);
  });
}

test('screenshot_format png returns a PNG, with its own size limit', async () => {
  const url = files.add('/tall', TALL, HTML);
  const options = { engine_preference: 'chrome', screenshot: 'full_page' };
  const { screenshot } = await dump(url, { ...options, screenshot_format: 'png' });
  assert.equal(screenshot?.media_type, 'image/png');
  assert.ok(!screenshot.cut && screenshot.height > 3000, JSON.stringify(screenshot));
  await readPicture(screenshot);
  const webp = await dump(url, { ...options, screenshot_format: 'webp' });
  assert.equal(webp.screenshot?.media_type, 'image/webp');
  const endless = files.add('/endless-png', `<!doctype html>${SENTENCE}<div style="height:1000000px">x</div>`, HTML);
  const cut = (await dump(endless, { ...options, screenshot_format: 'png' })).screenshot;
  assert.ok(cut?.cut && cut.width * cut.height <= 12_000_000, JSON.stringify(cut));
  await readPicture(cut);
});

test('screenshot_format without screenshot or with an unknown value is refused with 400 and the name of the field', async () => {
  const url = files.add('/tall', TALL, HTML);
  const alone = await running.call('/v1/dom/dump', { url, options: { screenshot_format: 'png' } });
  assertRefused(alone, 'invalid_request', /^options\.screenshot_format: needs screenshot/);
  for (const format of ['jpeg', 1]) {
    const options = { screenshot: 'viewport', screenshot_format: format };
    const refused = await running.call('/v1/extract', { extract: { url, options } });
    assertRefused(refused, 'invalid_request', /^extract\.options\.screenshot_format: /);
  }
});

test('extracting a URL and extracting its snapshot return the same screenshot', async () => {
  const url = files.add('/tall', TALL, HTML);
  const options = { screenshot: 'full_page', engine_preference: 'chrome' };
  const { status, body } = await running.call('/v1/extract', { extract: { url, options } });
  assert.equal(status, 200, JSON.stringify(body));
  extractResponseSchema.strict().parse(body);
  await readPicture(body.metadata.screenshot);
  const again = await running.call('/v1/extract', { extract: { dom_id: body.metadata.dom_id } });
  assert.deepEqual(again.body.metadata.screenshot, body.metadata.screenshot);
  const without = await running.call('/v1/extract', { extract: { url } });
  assert.equal('screenshot' in without.body.metadata, false);
});

// Checks: threat-screenshot
test('the screenshot of a page 1,000,000 pixels high is cut and marked as cut', async () => {
  const url = files.add(
    '/endless',
    `<!doctype html>${SENTENCE}<div style="height:1000000px;width:9000px">x</div>`,
    HTML,
  );
  const { screenshot } = await dump(url, { engine_preference: 'chrome', screenshot: 'full_page' });
  assert.ok(screenshot?.cut && screenshot.height <= 16_000 && screenshot.width <= 2000, JSON.stringify(screenshot));
  await readPicture(screenshot);
});

// Checks: threat-screenshot
test(
  'a page with an endless script is answered within its timeout, with a screenshot or null',
  { timeout: 60_000 },
  async () => {
    const url = files.add('/busy', `<!doctype html>${SENTENCE}<script>onload = () => { for (;;); }</script>`, HTML);
    const body = await dump(url, { engine_preference: 'vendor_dcl', screenshot: 'full_page', timeout_ms: 6000 });
    assert.match(body.html, /harbour town/);
    assert.ok(body.screenshot !== undefined);
  },
);

test('a document has no screenshot', async () => {
  const paper = readFileSync(new URL('../documents/fixtures/latex-article.pdf', import.meta.url));
  for (const engine of ['auto', 'chrome']) {
    const body = await dump(files.add('/paper.pdf', paper), { engine_preference: engine, screenshot: 'full_page' });
    assert.equal(body.engine, 'http');
    assert.equal(body.screenshot, null);
  }
});

test('screenshot with the engine http or with an unknown value is refused with 400 and the name of the field', async () => {
  const url = files.add('/tall', TALL, HTML);
  const http = { engine_preference: 'http', screenshot: 'viewport' };
  const dumped = await running.call('/v1/dom/dump', { url, options: http });
  assertRefused(dumped, 'invalid_request', /^options\.screenshot: needs a browser/);
  const extracted = await running.call('/v1/extract', { extract: { url, options: http } });
  assertRefused(extracted, 'invalid_request', /^extract\.options\.screenshot: needs a browser/);
  for (const screenshot of ['png', true]) {
    const refused = await running.call('/v1/dom/dump', { url, options: { screenshot } });
    assertRefused(refused, 'invalid_request', /^options\.screenshot: /);
  }
});

// Checks: threat-screenshot
test('a screenshot needs the key of its project, and is deleted with its snapshot', async () => {
  const { screenshot, dom_id } = await dump(files.add('/tall', TALL, HTML), {
    engine_preference: 'chrome',
    screenshot: 'viewport',
  });
  assert.ok(screenshot);
  await assertNeedsProjectKey(running, screenshot.url);
  const plain = await dump(files.add('/tall', TALL, HTML), { engine_preference: 'http' });
  const none = await running.call(`/v1/snapshots/${plain.dom_id}/screenshot`, undefined, { method: 'GET' });
  assertRefused(none, 'not_found', /has no screenshot/);
  const deleted = await running.call(`/v1/snapshots/${dom_id}`, undefined, { method: 'DELETE' });
  assert.equal(deleted.status, 200);
  const gone = await running.call(screenshot.url, undefined, { method: 'GET' });
  assertRefused(gone, 'dom_not_found', /no such snapshot/, 'snapshot');
});

// Checks: threat-screenshot
test('a screenshot counts towards the storage of its project', async () => {
  const usage = async (): Promise<number> => (await running.store.usage.find(running.projectId)).snapshotBytes;
  const url = files.add('/counted', `${TALL}<!-- counted -->`, HTML);
  const usedBefore = await usage();
  const { dom_id, debug } = await dump(url, { engine_preference: 'chrome', screenshot: 'full_page' });
  const picture = (await running.store.snapshots.find(running.projectId, dom_id))?.screenshot;
  assert.ok(picture && picture.storedBytes > 1000);
  assert.ok((await usage()) >= usedBefore + debug.stored_bytes + picture.storedBytes);
  await running.call(`/v1/snapshots/${dom_id}`, undefined, { method: 'DELETE' });
  assert.equal(await usage(), usedBefore);
});

// Checks: threat-screenshot
test('a screenshot loads nothing that the egress policy refuses', async () => {
  const canary = await startCanary();
  try {
    const target = `http://127.0.0.2:${canary.port}`;
    const page = `<!doctype html>${SENTENCE}<img src="${target}/seen" loading="lazy" style="margin-top:9000px"><div style="background:url(${target}/background)">x</div>`;
    const { screenshot, debug } = await dump(files.add('/watched', page, HTML), {
      engine_preference: 'stable',
      screenshot: 'full_page',
    });
    assert.ok(screenshot && screenshot.height > 9000);
    assert.ok(debug.blocked_requests.length > 0);
    assert.deepEqual(canary.visits, []);
  } finally {
    await canary.close();
  }
});
