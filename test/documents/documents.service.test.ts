import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { PDFDocument, StandardFonts } from 'pdf-lib';
import type { Body } from '../support/running-service.ts';
import { Prose } from './write-prose.ts';
import { printPages } from './print-pages.ts';
import { stream, writePdf } from './write-pdf.ts';
import { startServiceWithFiles } from './service-with-files.ts';

const { running, files, dump: dumpWith, close } = await startServiceWithFiles();
after(close);

const dump = (url: string, engine = 'http'): Promise<Body> => dumpWith(url, { engine_preference: engine });

const PAPER = readFileSync(new URL('fixtures/latex-article.pdf', import.meta.url));

const REPORT = `<!doctype html><html lang="en"><title>Yearly report</title><style>table{border-collapse:collapse}td,th{border:1px solid;padding:3px}</style>
<h1>Yearly report</h1><p>The harbour sold more fish than in any year before, as <a href="https://example.com/figures">the figures show</a> to everybody.</p>
<h2>What was sold</h2><ul><li>Herring</li><li>Cod</li></ul><h2>Where</h2><ol><li>At the market</li><li>At sea</li></ol>
<table><tr><th>Fish</th><th>Tons</th></tr><tr><td>Herring</td><td>12</td></tr><tr><td colspan="2">All else</td></tr></table>
<p>That is all that can be said of it in this report, and the next one follows in a year.</p>`;

test('a PDF has its headings, lists, links and tables in the snapshot', async () => {
  const [bytes = new Uint8Array()] = await printPages([{ name: 'report', html: REPORT }]);
  const { html } = await dump(files.add('/report.pdf', bytes));
  assert.match(html, /<h1>Yearly report<\/h1>/);
  assert.match(html, /<h2>What was sold<\/h2>/);
  assert.match(html, /<a href="https:\/\/example\.com\/figures">the figures show<\/a>/);
  assert.match(html, /<ul><li>Herring<\/li>\s*<li>Cod<\/li><\/ul>/);
  assert.match(html, /<ol><li>At the market<\/li>\s*<li>At sea<\/li><\/ol>/);
  assert.match(html, /<tr><th>Fish<\/th><th>Tons<\/th><\/tr>\s*<tr><td>Herring<\/td><td>12<\/td><\/tr>/);
  assert.match(html, /<td colspan="2">All else<\/td>/);
});

test('title, author, language and date of a PDF come from its metadata', async () => {
  const document = await PDFDocument.create();
  const page = document.addPage();
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (const [line, text] of new Prose(3).paragraphs(20, 1).entries())
    page.drawText(text, { x: 50, y: 700 - 14 * line, size: 9, font });
  document.setTitle('Tides & <times>');
  document.setAuthor('Ada Example');
  document.setLanguage('en-GB');
  document.setCreationDate(new Date('2021-03-04T05:06:07Z'));
  const url = files.add('/facts.pdf', await document.save());
  const { html, dom_id } = await dump(url);
  assert.match(html, /<html data-winnow-document="pdf" lang="en-GB">/);
  assert.match(html, /<title>Tides &amp; &lt;times&gt;<\/title>/);
  const { body } = await running.call('/v1/extract', { extract: { dom_id } });
  const { title, author, language, publish_time } = body.result;
  assert.deepEqual(
    { title, author, language, publish_time },
    {
      title: 'Tides & <times>',
      author: 'Ada Example',
      language: 'en-GB',
      publish_time: '2021-03-04T05:06:07Z',
    },
  );
});

for (const engine of ['auto', 'http', 'chrome', 'chrome_cdp', 'vendor_lite', 'vendor_dcl', 'vendor_dom', 'stable']) {
  test(`engine_preference ${engine} makes a page of a PDF, of JSON and of text`, async () => {
    const paper = await dump(files.add('/paper.pdf', PAPER), engine);
    assert.equal(paper.engine, 'http');
    assert.match(paper.html, /^<!doctype html>\n<html data-winnow-document="pdf"/);
    const outcomes = paper.debug.engine_attempts.map(({ outcome }) => outcome);
    assert.deepEqual(outcomes, engine === 'auto' || engine === 'http' ? ['captured'] : ['failed', 'captured']);
    const json = await dump(files.add('/data.json', '{"fish": ["<cod>"]}', 'application/json'), engine);
    assert.match(json.html, /<pre>\n\{"fish": \["&lt;cod&gt;"\]\}<\/pre>/);
    const text = await dump(files.add('/note.txt', 'A note\nof two lines', 'text/plain'), engine);
    assert.match(text.html, /<title>note\.txt<\/title>[^]*<pre>\nA note\nof two lines<\/pre>/);
  });
}

test('a PDF of unknown media type is recognised by its file name', async () => {
  for (const type of ['application/octet-stream', null]) {
    const { html } = await dump(files.add(`/paper-${type === null}.pdf`, PAPER, type));
    assert.match(html, /data-winnow-document="pdf"/);
  }
});

/** Writes a PDF with Latin text, and with Japanese text in a character map that it does not contain. */
function writeJapanese(latin: string): Buffer {
  const text = Buffer.from('港の市場は朝五時に開きます', 'utf16le').swap16().toString('hex');
  return writePdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R/L 8 0 R>>>>>>',
    stream('', Buffer.from(`BT /F 14 Tf 50 700 Td <${text}> Tj /L 14 Tf 0 -30 Td (${latin}) Tj ET`)),
    '<</Type/Font/Subtype/Type0/BaseFont/HeiseiMin-W3/Encoding/UniJIS-UTF16-H/DescendantFonts[6 0 R]>>',
    '<</Type/Font/Subtype/CIDFontType0/BaseFont/HeiseiMin-W3/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 4>>/FontDescriptor 7 0 R>>',
    '<</Type/FontDescriptor/FontName/HeiseiMin-W3/Flags 4/FontBBox[0 0 1000 1000]/ItalicAngle 0/Ascent 800/Descent -200/StemV 80>>',
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ]);
}

test('a PDF and a page that are kept compressed are unpacked, whatever they are declared as', async () => {
  for (const type of ['application/octet-stream', 'application/pdf', null]) {
    const paper = await dump(files.add(`/kept-paper/${type}`, gzipSync(PAPER), type));
    assert.match(paper.html, /^<!doctype html>\n<html data-winnow-document="pdf"/, String(type));
    assert.equal((await dump(files.add(`/kept-page/${type}`, gzipSync(REPORT), type))).html, REPORT, String(type));
  }
});

test('text in character maps that a PDF does not contain is named, not called scanned', async () => {
  const extract = async (path: string, latin: string) =>
    running.call('/v1/extract', { extract: { url: files.add(path, writeJapanese(latin)) } });
  const { body: refused } = await extract('/market.pdf', '');
  assert.equal(refused.error?.code, 'unsupported_content');
  assert.match(refused.error.message, /character maps that it does not contain \(UniJIS-UTF16-H\)/);
  const { body: mixed } = await extract('/mixed.pdf', 'The market of the harbour opens at five in the morning.');
  assert.match(mixed.result.main_text, /The market of the harbour opens/);
  assert.equal(mixed.metadata.partial, true);
});

const ZIP = `PK\u0003\u0004\u0014${'\0'.repeat(21)}`;
const OFFICE_TYPE = 'application/vnd.openxmlformats-officedocument';

const OFFICE: readonly (readonly [name: string, type: string, parts: string, kind: string])[] = [
  ['letter.docx', `${OFFICE_TYPE}.wordprocessingml.document`, 'word/document.xml', 'a Word document'],
  ['costs.xlsx', `${OFFICE_TYPE}.spreadsheetml.sheet`, 'xl/workbook.xml', 'an Excel workbook'],
  ['talk.pptx', `${OFFICE_TYPE}.presentationml.presentation`, 'ppt/presentation.xml', 'a PowerPoint presentation'],
  ['letter.odt', 'application/vnd.oasis.opendocument.text', '', 'an OpenDocument file'],
  ['novel.epub', 'application/epub+zip', '', 'an EPUB book'],
];

test('office files and books are refused by name: by type, file name or bytes', async () => {
  const refusal = async (path: string, bytes: Buffer, type: string | null, engine: string): Promise<string> => {
    const url = files.add(path, bytes, type);
    const { body } = await running.call('/v1/dom/dump', { url, options: { engine_preference: engine } });
    assert.equal(body.error?.code, 'unsupported_content', path);
    return body.error.message;
  };
  for (const [index, [name, type, parts, kind]] of OFFICE.entries()) {
    const named = new RegExp(`^the target is ${kind}, `);
    const whole = Buffer.from(`${ZIP}${parts === '' ? `mimetype${type}` : parts}`, 'latin1');
    const unknown = Buffer.from(`${ZIP}other`, 'latin1');
    for (const engine of ['http', 'chrome']) {
      assert.match(await refusal(`/by-type/${engine}/${index}`, unknown, type, engine), named);
      assert.match(await refusal(`/by-name/${engine}/${name}`, unknown, 'application/octet-stream', engine), named);
      assert.match(await refusal(`/by-bytes/${engine}/${index}`, whole, 'text/html', engine), named);
    }
    assert.match(await refusal(`/undeclared/${index}`, whole, null, 'http'), named);
  }
});

// Checks: threat-document-requests
test('Markdown is rendered, and HTML in it is shown as text', async () => {
  const source =
    '---\ntitle: Fish\n---\n# Cod\n\n[here](https://example.com/) [there](javascript:alert(1)) <script>alert(2)</script>\n\n| a | b |\n| - | - |\n| 1 | 2 |\n';
  for (const [path, type] of [
    ['/cod.md', 'text/plain; charset=utf-8'],
    ['/cod', 'text/markdown'],
  ] as const) {
    const { html } = await dump(files.add(path, source, type));
    assert.match(html, /<title>Fish<\/title>/);
    assert.match(html, /<h1>Cod<\/h1>/);
    assert.match(html, /<a href="https:\/\/example\.com\/">here<\/a>/);
    assert.match(html, /<td>1<\/td>/);
    assert.doesNotMatch(html, /<script|href="javascript/);
  }
});

const FEEDS = {
  rss: `<?xml version="1.0"?><rss version="2.0" xmlns:content="c"><channel><title>Valley news</title><language>en-GB</language>
<item><title>Mill &amp; river</title><link>http://example.com/mill</link><pubDate>Mon, 01 Jun 2026 10:00:00 GMT</pubDate>
<description>Short.</description><content:encoded><![CDATA[<p>The <b>mill</b> turns again.</p>]]></content:encoded></item></channel></rss>`,
  atom: `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en-GB"><title>Valley news</title>
<entry><title>Mill &amp; river</title><link rel="edit" href="http://example.com/edit"/><link href="http://example.com/mill"/>
<updated>2026-06-01T10:00:00Z</updated><summary>Short.</summary><content type="html">&lt;p&gt;The &lt;b&gt;mill&lt;/b&gt; turns again.&lt;/p&gt;</content></entry></feed>`,
  rdf: `<?xml version="1.0"?><rdf:RDF xmlns:rdf="r" xmlns:dc="d"><channel><title>Valley news</title></channel>
<item><title>Mill &amp; river</title><link>http://example.com/mill</link><dc:date>2026-06-01</dc:date>
<description>&lt;p&gt;The &lt;b&gt;mill&lt;/b&gt; turns again.&lt;/p&gt;</description></item></rdf:RDF>`,
};

test('each entry of a feed is an article, also if the feed is declared as a page', async () => {
  for (const [name, feed] of Object.entries(FEEDS)) {
    for (const type of ['application/rss+xml', 'text/xml', 'text/html']) {
      const { html } = await dump(files.add(`/${name}`, feed, type));
      assert.match(html, /<h1>Valley news<\/h1>/, `${name} ${type}`);
      assert.match(html, /<h2><a href="http:\/\/example\.com\/mill">Mill &amp; river<\/a><\/h2>/, `${name} ${type}`);
      assert.match(html, /<time>[^<]*2026/, `${name} ${type}`);
      assert.match(html, /<p>The <b>mill<\/b> turns again\.<\/p>/, `${name} ${type}`);
    }
  }
});

test('a browser hands on what it cannot show as its author meant it', async () => {
  const garbage = Buffer.from(Array.from({ length: 3000 }, (_, index) => (index * 7919 + 13) & 255));
  const magic = ['\u001f\u008b\b\0', 'MZ\u0090\0\u0003\0', '\0\0\0\u0018ftypmp42', '\u00d0\u00cf\u0011\u00e0\u00a1'];
  for (const [index, opening] of magic.entries()) {
    const bytes = Buffer.concat([Buffer.from(opening, 'latin1'), garbage]);
    const url = files.add(`/file-${index}`, bytes, 'text/html');
    const { body } = await running.call('/v1/dom/dump', { url, options: { engine_preference: 'chrome' } });
    assert.equal(body.error?.code, 'unsupported_content', JSON.stringify(opening));
  }
  const news =
    '<html><head><title>Mole</title></head><body><h1>Mole</h1><p>Der alte Kai im Süden wird saniert.</p></body></html>';
  const whole: [name: string, type: string, body: string | Buffer, text: RegExp][] = [
    ['feed', 'text/html', FEEDS.atom, /<h2><a href="http:\/\/example\.com\/mill">Mill &amp; river<\/a><\/h2>/],
    ['wide', 'text/html', Buffer.from(news, 'utf16le'), /<p>Der alte Kai im Süden wird saniert/],
    [
      'cyrillic',
      'text/html; charset=utf-8',
      Buffer.from(
        '<p>\u00cd\u00ee\u00e2\u00fb\u00e9 \u00ef\u00f0\u00e8\u00f7\u00e0\u00eb \u00ee\u00f2\u00ea\u00f0\u00fb\u00f2',
        'latin1',
      ),
      /Новый причал открыт/,
    ],
    [
      'torn',
      'application/xhtml+xml',
      `<html xmlns="http://www.w3.org/1999/xhtml"><body><p>One & two</p><p>The end.</p></body></html>`,
      /The end\./,
    ],
    ['doctype', 'text/xml', `<!DOCTYPE html>${news.replace('<h1>', '<br><h1>')}`, /Der alte Kai im Süden/],
  ];
  for (const [name, type, content, text] of whole) {
    const { html, engine } = await dump(files.add(`/${name}`, content, type), 'chrome');
    assert.match(html, text, name);
    assert.equal(engine, 'http', name);
  }
});

// Checks: threat-endless-document
test('a page whose connection breaks off is partial in a browser too, from where it is handed on', async (t) => {
  const server = createServer((request, response) => {
    const isChunked = request.url === '/chunked';
    response.writeHead(200, { 'content-type': 'text/html', ...(isChunked ? {} : { 'content-length': '5000' }) });
    response.write(REPORT, () => void setTimeout(() => request.socket.destroy(), 50));
  });
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  for (const path of ['/chunked', '/with-length']) {
    const { html, engine, debug } = await dump(`http://127.0.0.1:${port}${path}`, 'chrome');
    assert.deepEqual([html, engine, (debug as { partial?: boolean }).partial], [REPORT, 'http', true], path);
  }
});

test('a feed of many levels is shown unchanged', async () => {
  const feed = `<rss><channel><title>News</title><item><title>${'<b>'.repeat(20_000)}Mill</title></item></channel></rss>`;
  const { html } = await dump(files.add('/deep-feed', feed, 'application/rss+xml'));
  assert.match(html, /<pre>/);
  assert.match(html, /Mill/);
});

test('other XML and empty feeds are shown unchanged', async () => {
  const feed = '<?xml version="1.0"?><rss><channel><title>News</title></channel></rss>';
  for (const type of ['application/rss+xml', 'application/atom+xml', 'application/xml', 'text/xml']) {
    const { html } = await dump(files.add('/feed', feed, type));
    assert.match(html, /<pre>\n&lt;\?xml version="1\.0"\?&gt;&lt;rss&gt;/, type);
  }
});

test('text is decoded by its charset', async () => {
  const { html, debug } = await dump(
    files.add('/old.txt', Buffer.from('caf\u00e9', 'latin1'), 'text/plain; charset=iso-8859-1'),
  );
  assert.match(html, /<pre>\ncafé<\/pre>/);
  assert.equal(debug.charset, 'windows-1252');
});

test('documents neither use templates nor lead to new ones', async () => {
  const url = files.add('/again.pdf', PAPER);
  for (let time = 0; time < 4; time += 1) {
    const { status, body } = await running.call('/v1/extract', { extract: { url }, trace: { include_steps: true } });
    assert.equal(status, 200);
    assert.equal(body.result.template_id, 'generic:v1');
    assert.match(body.result.title ?? '', /^\w+/);
    assert.equal(body.metadata.engine, 'http');
  }
});
