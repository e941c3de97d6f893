/** Documents that unfold to gigabytes or never end. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startRunning } from '../support/running-service.ts';
import type { Running } from '../support/running-service.ts';
import { serveFiles } from './serve-files.ts';
import type { FileServer } from './serve-files.ts';
import { drawLines, packBomb, stream, writePage, writePdf } from './write-pdf.ts';

let running: Running;
let files: FileServer;
before(async () => {
  running = await startRunning({
    WINNOW_WORKER_MEMORY: '256MiB',
    WINNOW_EGRESS_ALLOW: '127.0.0.1',
    WINNOW_MAX_PAGE_BYTES: '4MiB',
  });
  files = await serveFiles();
});
after(async () => {
  await running.close();
  await files.close();
});

const TIMEOUT_MS = 60_000;

let served = 0;
const serve = (body: Uint8Array, type?: string): string => files.add(`/hostile-${(served += 1)}.pdf`, body, type);

async function dump(url: string, timeoutMs = TIMEOUT_MS) {
  return running.call('/v1/dom/dump', { url, options: { engine_preference: 'http', timeout_ms: timeoutMs } });
}

/** Pages and documents are answered as ever. */
async function assertHealthy(): Promise<void> {
  const page = await running.call('/v1/extract', { extract: { url: `${running.pages.url}/article` } });
  assert.equal(page.status, 200);
  const document = await dump(serve(writePage(drawLines(['All is well in the harbour.']))));
  assert.match(document.body.html, /All is well in the harbour\./);
}

const FORMS = 26;
/** Forms, each of which draws the next one twice. */
const DOUBLING = writePage(stream('', Buffer.from('/X Do')), {
  page: '/Resources<</XObject<</X 6 0 R>>>>',
  objects: Array.from({ length: FORMS }, (_, index) =>
    stream(
      `/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X ${Math.min(index + 7, FORMS + 5)} 0 R>>/Font<</F 5 0 R>>>>`,
      Buffer.from(index + 1 === FORMS ? 'BT /F 9 Tf (x) Tj ET' : '/X Do /X Do'),
    ).toString('latin1'),
  ),
});

for (const [name, bytes] of [
  ['forms that draw each other', DOUBLING],
  ['a page tree that loops', writePdf(['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[2 0 R]/Count 1>>'])],
  ['a stream of endless operators', writePage(packBomb(90 * 2 ** 20, 1))],
  ['arrays nested very deep', writePage(stream('', Buffer.from('['.repeat(200_000))))],
] as const) {
  test(`a PDF with ${name} is answered within its time`, { timeout: 60_000 }, async () => {
    const { status, body } = await dump(serve(bytes), 8000);
    if (status !== 200) assert.match(body.error.code, /^(?:unsupported_content|response_too_large|fetch_timeout)$/);
    await assertHealthy();
  });
}

test('Markdown and text made to take long, or to grow, are answered within their time', async () => {
  const hostile = [
    '[a]('.repeat(50_000),
    `${'> '.repeat(20_000)}a`,
    '*a **b '.repeat(60_000),
    '<'.repeat(3 * 2 ** 20),
    `${'|a'.repeat(20_000)}\n${'|-'.repeat(20_000)}\n${'|b\n'.repeat(20_000)}`,
  ];
  for (const [index, text] of hostile.entries()) {
    const url = files.add(`/hostile-${index}.md`, text, 'text/markdown');
    const { status, body } = await dump(url, 10_000);
    if (status !== 200) assert.match(body.error.code, /^(?:unsupported_content|response_too_large|fetch_timeout)$/);
  }
  await assertHealthy();
});
