import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isReadable, readContentType, recognizeContent } from './content-type.ts';

void test('the last readable media type counts, with the charset of earlier equal types', () => {
  const expected: readonly (readonly [string | null, string | null, string | undefined])[] = [
    [null, null, undefined],
    ['', null, undefined],
    ['text/html', 'text/html', undefined],
    ['Text/HTML;Charset="ISO-8859-1"', 'text/html', 'ISO-8859-1'],
    ['text/html, text/html; charset=utf-8', 'text/html', 'utf-8'],
    ['text/html; charset=windows-1252, text/html; charset=utf-8', 'text/html', 'utf-8'],
    ['text/html; charset=utf-8, text/html', 'text/html', 'utf-8'],
    ['text/plain; charset=utf-8, text/html', 'text/html', undefined],
    ['text/plain, text/html; charset=utf-8', 'text/html', 'utf-8'],
    ['text/html; charset=utf-8, */*; charset=latin1', 'text/html', 'utf-8'],
    ['text/html; charset=utf-8, nonsense', 'text/html', 'utf-8'],
    ['text/html; a="x, text/plain; y"; charset=utf-8', 'text/html', 'utf-8'],
    ['text/html; a="x, text/plain', 'text/html', undefined],
    ['text/html charset=utf-8', null, undefined],
    ['*/*', null, undefined],
  ];
  for (const [header, mediaType, charset] of expected) {
    assert.deepEqual(readContentType(header), { mediaType, charset }, String(header));
  }
});

const PAGE = '<!DOCTYPE html><html><head><title>Pier</title></head><body><p>The pier is open.</p></body></html>';
const PDF = '%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n1 0 obj';

const OFFICE = 'application/vnd.openxmlformats-officedocument.';

/** Like a compressed file: every byte in turn, in no order that text has. */
const CHANCE = String.fromCharCode(...Array.from({ length: 2000 }, (_, index) => (index * 7919 + 13) & 255));

void test('a body is what its bytes say, whatever the server declares', () => {
  const octets = 'application/octet-stream';
  const cases: [type: string | null, name: string, body: string, found: string | undefined][] = [
    ['text/html', 'a', PAGE, 'html'],
    [null, 'a', PAGE, 'html'],
    [octets, 'a', PAGE, 'html'],
    ['application/x-download', 'a', `\n  ${PAGE}`, 'html'],
    ['application/html', 'a', PAGE, 'html'],
    ['application/pdf', 'a.pdf', PAGE, 'html'],
    ['text/html', 'a', 'Only text without any tag.', 'html'],
    ['text/html', 'a', `${PAGE}\0\0`, 'html'],
    ['text/html', 'a', '\n<rss version="2.0"><channel></channel></rss>', 'xml'],
    ['text/html', 'a', '<rssicon></rssicon>', 'html'],
    ['text/html', 'a', PDF, 'pdf'],
    ['text/plain', 'a', PDF, 'pdf'],
    [octets, 'a', PDF, 'pdf'],
    [null, 'a', `\r\n${PDF}`, 'pdf'],
    ['application/download', 'report.pdf', PDF, 'pdf'],
    ['application/pdf', 'a.pdf', `junk ${PDF}`, 'pdf'],
    ['text/html', 'a', '<p>Files begin with %PDF-1.7.</p>', 'html'],
    ['application/pdf', 'a.pdf', 'Not found', undefined],
    ['text/html', 'a', `\u001f\u008b\b\0${CHANCE}`, undefined],
    ['text/html', 'a', `MZ\u0090\0\u0003\0${CHANCE}`, undefined],
    ['text/html', 'a', `ID3\u0003\0\0${'\u00fb'.repeat(4000)}`, undefined],
    ['text/html', 'a', `RIFF\u0010\u0020\0\0WEBPVP8 ${CHANCE}`, undefined],
    ['text/html', 'a', `\u001aE\u00df\u00a3 A file of another kind.`, undefined],
    ['text/plain', 'a', `wOF2 A file of another kind.`, undefined],
    ['text/html', 'a', `bplist00 A file of another kind.`, undefined],
    ['text/html', 'a', `\0\0\0\u0018ftypmp42${CHANCE}`, undefined],
    ['text/html', 'a', `\u0089PNG\r\n\u001a\n${CHANCE}`, undefined],
    ['text/plain', 'a', CHANCE, undefined],
    [octets, 'a', CHANCE, undefined],
    [null, 'a', CHANCE, undefined],
    ['text/plain', 'a', `A slip\0 of one byte in a text of more than twenty.`, 'text'],
    ['text/plain', 'a', PAGE, 'text'],
    [null, 'a', 'Plain words,\nwithout a type.', 'text'],
    [octets, 'notes.txt', 'Plain words.', 'text'],
    [octets, 'README.md', '# Pier', 'markdown'],
    ['text/plain', 'README.md', '# Pier', 'markdown'],
    [null, 'a', '{"open": true}', 'json'],
    [null, 'a', '[1, 2]', 'json'],
    [null, 'a', '[See the list] of piers', 'text'],
    [null, 'a', '<section><h1>Pier</h1></section>', 'html'],
    [null, 'a', '<?xml version="1.0"?><piers/>', 'xml'],
    ['application/yaml', 'a', 'pier: open', 'text'],
    ['application/javascript', 'a', 'const open = true;', 'text'],
    ['image/svg+xml', 'a', '<svg><text>Pier</text></svg>', 'xml'],
    ['application/ld+json', 'a', '{}', 'json'],
    ['application/vnd.ms-excel', 'a.xls', '<html><table><tr><td>Pier</table>', 'html'],
    ['application/msword', 'a.doc', PAGE, 'html'],
    ['application/msword', 'a.doc', CHANCE, undefined],
    ['application/msword', 'a.doc', '{\\rtf1\\ansi Pier}', undefined],
    ['multipart/related', 'a', `From: <Saved by Blink>\r\nMIME-Version: 1.0\r\n\r\n${PAGE}`, undefined],
    ['text/html', 'a.mhtml', `From: "Saved by Internet Explorer 11"\r\n\r\n${PAGE}`, undefined],
    [octets, 'a', 'MIME-Version: 1.0\nContent-Type: multipart/related; boundary="b"\n\n--b\n', undefined],
    ['text/plain', 'a', 'From: Ada\nMIME-Version: 1.0\n\nThe pier is open.', 'text'],
    ['text/plain', 'a', '%!PS-Adobe-3.0\n(Pier) show', undefined],
    ['text/html', 'a', 'BZh91AY&SY' + 'ab'.repeat(200), undefined],
    ['text/html', 'a', '7z\u00bc\u00af and more letters than that', undefined],
    [`${OFFICE}wordprocessingml.document`, 'a.docx', PAGE, 'html'],
    [`${OFFICE}spreadsheetml.sheet`, 'a.xlsx', PAGE, 'html'],
    [`${OFFICE}wordprocessingml.document`, 'a.docx', `PK\u0003\u0004${CHANCE}`, undefined],
    ['text/html', 'a', '{"open": true}\n', 'json'],
    ['text/html', 'a', '{ open the pier }', 'html'],
  ];
  for (const [mediaType, fileName, body, found] of cases) {
    const declared = { mediaType, fileName };
    assert.ok(isReadable(declared), String(mediaType));
    assert.equal(
      recognizeContent(Buffer.from(body, 'latin1'), declared),
      found,
      `${mediaType} ${fileName} ${body.slice(0, 40)}`,
    );
  }
});

void test('files that are neither a page nor text are not read, unless their name is that of a PDF', () => {
  const files = [
    'image/png',
    'video/mp4',
    'font/woff2',
    'application/zip',
    'application/vnd.ms-powerpoint',
    'application/epub+zip',
    'application/rtf',
  ];
  for (const mediaType of files) {
    assert.ok(!isReadable({ mediaType, fileName: 'a' }), mediaType);
    assert.ok(isReadable({ mediaType, fileName: 'a.PDF' }), mediaType);
  }
});
