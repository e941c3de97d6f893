/** Documents that are damaged or hostile, expand to gigabytes or never end. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import type { ErrorCode } from '@winnow/contract';
import { assertRefused } from '../support/assert-refused.ts';
import { startCanary } from '../site/canary.ts';
import { drawLines, packBomb, stream, writeDoublingForms, writePage, writePdf } from './write-pdf.ts';
import { startServiceWithFiles } from './service-with-files.ts';

const { running, files, close } = await startServiceWithFiles({
  WINNOW_WORKER_MEMORY: '256MiB',
  WINNOW_EGRESS_ALLOW: '127.0.0.1',
  WINNOW_MAX_PAGE_BYTES: '4MiB',
});
after(close);

const TIMEOUT_MS = 120_000;

let served = 0;
const serve = (body: Uint8Array, type?: string): string => files.add(`/hostile-${(served += 1)}.pdf`, body, type);

async function dump(url: string, timeoutMs = TIMEOUT_MS) {
  return running.call('/v1/dom/dump', { url, options: { engine_preference: 'http', timeout_ms: timeoutMs } });
}

/** Asserts that pages and documents are still answered. */
async function assertHealthy(): Promise<void> {
  const page = await running.call('/v1/extract', { extract: { url: `${running.pages.url}/article` } });
  assert.equal(page.status, 200);
  const document = await dump(serve(writePage(drawLines(['All is well in the harbour.']))));
  assert.match(document.body.html, /All is well in the harbour\./);
}

const KIDS = 10_000;
const MANY_PAGES = writePdf([
  '<</Type/Catalog/Pages 2 0 R>>',
  `<</Type/Pages/Kids[${'3 0 R '.repeat(KIDS)}]/Count ${KIDS}>>`,
  '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]>>',
]);

const REFUSED: readonly (readonly [name: string, bytes: () => Buffer, code: ErrorCode, message: RegExp])[] = [
  [
    'that needs a password',
    () => readFileSync(new URL('fixtures/encrypted.pdf', import.meta.url)),
    'unsupported_content',
    /encrypted and needs a password/,
  ],
  ['that is damaged', () => Buffer.from('%PDF-1.7\nand nothing more'), 'unsupported_content', /damaged/],
  [
    'that is truncated',
    () => readFileSync(new URL('fixtures/latex-article.pdf', import.meta.url)).subarray(0, 9000),
    'unsupported_content',
    /damaged|no text/,
  ],
  [
    'that is plain text',
    () => Buffer.from('Not found'),
    'unsupported_content',
    /declared as application\/pdf, but its bytes are a file of another kind/,
  ],
  [
    'that is scanned',
    () => writePage(stream('', Buffer.from('q 600 0 0 800 0 0 cm Q'))),
    'unsupported_content',
    /no text.*scan.*OCR/,
  ],
  [
    'of 10,000 pages',
    () => MANY_PAGES,
    'response_too_large',
    /has 10000 pages; at most 2000 are read \(WINNOW_MAX_PDF_PAGES\)/,
  ],
  [
    'of a kilobyte that expands to a gigabyte',
    () => writePage(packBomb(2 ** 30, 3)),
    'response_too_large',
    /decompressed document needs more than the memory/,
  ],
  [
    'that expands in one step',
    () => writePage(packBomb(200 * 2 ** 20, 1)),
    'response_too_large',
    /decompressed document needs more than the memory/,
  ],
  [
    'with more text than a page may have',
    () =>
      writePage(
        drawLines(Array.from({ length: 50_000 }, (_, index) => `Line ${index} ${'of a very long text '.repeat(5)}`)),
      ),
    'response_too_large',
    /longer than 4194304 characters/,
  ],
];

for (const [name, bytes, code, message] of REFUSED) {
  // Checks: threat-endless-document
  test(`a PDF ${name} gives its error, and the service continues`, async () => {
    assertRefused(await dump(serve(bytes())), code, message, 'fetch');
    await assertHealthy();
  });
}

test('the decompression bomb has less than 1,500 bytes', () => {
  assert.ok(writePage(packBomb(2 ** 30, 3)).length < 1500);
});

// Checks: threat-document-requests
test('links, actions and embedded files of a PDF are not fetched, and its scripts are not run', async () => {
  const canary = await startCanary();
  try {
    const target = `http://127.0.0.1:${canary.port}`;
    const script = `app.launchURL('${target}/script'); this.submitForm('${target}/form'); while (true) {}`;
    const bytes = writePage(drawLines(['The fishermen sell there every morning, as they always did.']), {
      catalog: `/OpenAction<</S/JavaScript/JS(${script})>>/AA<</WC<</S/URI/URI(${target}/close)>>>>/Names<</JavaScript<</Names[(a)<</S/JavaScript/JS(${script})>>]>>>>`,
      page: `/Annots[6 0 R 7 0 R 8 0 R]/AA<</O<</S/JavaScript/JS(${script})>>>>`,
      objects: [
        `<</Type/Annot/Subtype/Link/Rect[40 750 400 780]/A<</S/URI/URI(${target}/link)>>>>`,
        `<</Type/Annot/Subtype/Link/Rect[40 700 400 740]/A<</S/GoToR/F<</Type/Filespec/FS/URL/F(${target}/remote)>>/D[0/Fit]>>>>`,
        `<</Type/Annot/Subtype/Widget/FT/Tx/T(t)/V(v)/Rect[40 600 400 640]/A<</S/SubmitForm/F(${target}/submit)>>>>`,
      ],
    });
    for (const engine of ['auto', 'http', 'chrome']) {
      const { status, body } = await running.call('/v1/dom/dump', {
        url: serve(bytes),
        options: { engine_preference: engine },
      });
      assert.equal(status, 200, JSON.stringify(body));
      assert.match(body.html, new RegExp(`<a href="${target}/link">`));
      assert.doesNotMatch(body.html, /launchURL|submitForm/);
    }
    assert.deepEqual(canary.visits, []);
  } finally {
    await canary.close();
  }
});

// Checks: threat-document-requests
test('text of a PDF cannot become markup of its page', async () => {
  const mark = '<script>alert(1)</script><img src=x onerror=alert(2)>';
  const { body } = await dump(serve(writePage(drawLines([mark, `"${mark}`]))));
  assert.doesNotMatch(body.html, /<script|<img/);
  assert.match(body.html, /&lt;script&gt;alert\(1\)/);
});

test('binary data declared as text is refused', async () => {
  const bytes = Buffer.from([0x47, 0x49, 0x46, 0, 1, 2, 3, 4]);
  assertRefused(await dump(serve(bytes, 'text/plain')), 'unsupported_content', /a file of another kind/, 'fetch');
});

for (const [name, bytes] of [
  ['forms that draw each other', writeDoublingForms()],
  ['a page tree that loops', writePdf(['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[2 0 R]/Count 1>>'])],
  ['a stream of endless operators', writePage(packBomb(90 * 2 ** 20, 1))],
  ['arrays nested very deep', writePage(stream('', Buffer.from('['.repeat(200_000))))],
] as const) {
  // Checks: threat-endless-document
  test(`a PDF with ${name} is answered within its timeout`, { timeout: 60_000 }, async () => {
    const { status, body } = await dump(serve(bytes), 8000);
    if (status !== 200) assert.match(body.error.code, /^(?:unsupported_content|response_too_large|fetch_timeout)$/);
    await assertHealthy();
  });
}

// Checks: threat-endless-document
test('hostile Markdown is answered within its timeout', async () => {
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
