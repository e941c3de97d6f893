import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { ARTICLE, document, MARK, page, sleep } from '../route.ts';
import type { Route, Routes } from '../route.ts';

const HTML = { 'content-type': 'text/html; charset=utf-8' };
const TEXT = document(`${ARTICLE}<p>${MARK}: Grüße, 東京</p>`);

const encoded =
  (encoding: string, encode: (text: string) => Buffer): Route =>
  ({ response }) => {
    response.writeHead(200, { ...HTML, 'content-encoding': encoding });
    response.end(encode(TEXT));
  };

const bytes =
  (contentType: string | undefined, body: Buffer | string): Route =>
  ({ response }) => {
    response.writeHead(200, contentType === undefined ? {} : { 'content-type': contentType });
    response.end(body);
  };

const status =
  (statusCode: number, body: string): Route =>
  ({ response }) => {
    response.writeHead(statusCode, HTML);
    response.end(document(body));
  };

const redirect =
  (statusCode: number, location: string | ((url: URL) => string)): Route =>
  ({ response, url }) => {
    const target = typeof location === 'string' ? location : location(url);
    // Like most servers, sends non-ASCII characters as UTF-8.
    response.writeHead(statusCode, { location: Buffer.from(target, 'utf8').toString('latin1') });
    response.end();
  };

/** A skippable zstd frame. */
const SKIPPED_FRAME = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2]);
const compressZstd = (text: string): Buffer => zlib.zstdCompressSync(text);
const halves = (text: string): string[] => [text.slice(0, 500), text.slice(500)];

/** Flips a bit of the byte at a negative offset from the end. */
const altered = (data: Buffer, place: number): Buffer => {
  data.writeUInt8(data.readUInt8(data.length + place) ^ 1, data.length + place);
  return data;
};

const BOMB_MIB = 64;
/** 64 MiB of spaces, compressed. */
const bomb = async (compress: (data: Buffer) => Promise<Buffer>): Promise<Buffer> =>
  compress(Buffer.alloc(BOMB_MIB * 1_048_576, ' '));

/** Correct and faulty behaviour of HTTP servers. */
export const HTTP_ROUTES: Routes = {
  '/gzip': encoded('gzip', zlib.gzipSync),
  '/br': encoded('br', zlib.brotliCompressSync),
  '/zstd': encoded('zstd', zlib.zstdCompressSync),
  '/deflate': encoded('deflate', zlib.deflateSync),
  '/deflate-raw': encoded('deflate', zlib.deflateRawSync),
  '/gzip-br': encoded('gzip, br', (text) => zlib.brotliCompressSync(zlib.gzipSync(text))),
  '/gzip-cut': encoded('gzip', (text) => zlib.gzipSync(text).subarray(0, -12)),
  '/br-cut': encoded('br', (text) => zlib.brotliCompressSync(text).subarray(0, -12)),
  '/gzip-br-cut': encoded('gzip, br', (text) => zlib.brotliCompressSync(zlib.gzipSync(text).subarray(0, -12))),
  '/not-gzip': encoded('gzip', () => Buffer.from(MARK)),
  '/gzip-undone': encoded('gzip', (text) => Buffer.from(text)),
  '/br-undone': encoded('br', (text) => Buffer.from(text)),
  '/br-gzip': encoded('br', (text) => zlib.gzipSync(text)),
  '/deflate-gzip': encoded('deflate', (text) => zlib.gzipSync(text)),
  '/gzip-deflate': encoded('gzip', (text) => zlib.deflateSync(text)),
  '/gzip-zstd': encoded('gzip', (text) => compressZstd(text)),
  '/encoding-compress': encoded('compress', (text) => Buffer.from(text)),
  ...Object.fromEntries(
    ['utf-8', 'none', 'binary', 'rot13'].map((name) => [
      `/encoding-${name}`,
      encoded(name, (text) => Buffer.from(text)),
    ]),
  ),
  '/zstd-frames': encoded('zstd', (text) => Buffer.concat([SKIPPED_FRAME, ...halves(text).map(compressZstd)])),
  '/zstd-frames-cut': encoded('zstd', (text) =>
    Buffer.concat([compressZstd(text), compressZstd('<p>more</p>').subarray(0, -3)]),
  ),
  '/gzip-members': encoded('gzip', (text) => Buffer.concat(halves(text).map((half) => zlib.gzipSync(half)))),
  '/gzip-trailing': encoded('gzip', (text) => Buffer.concat([zlib.gzipSync(text), Buffer.from('\n<!-- served -->')])),
  '/gzip-wrong-checksum': encoded('gzip', (text) => altered(zlib.gzipSync(text), -8)),
  '/gzip-wrong-length': encoded('gzip, utf-8', (text) => altered(zlib.gzipSync(text), -4)),
  '/bomb-gzip': async ({ response }) => {
    response.writeHead(200, { ...HTML, 'content-encoding': 'gzip' });
    response.end(await bomb(promisify(zlib.gzip) as (data: Buffer) => Promise<Buffer>));
  },
  '/bomb-br': async ({ response }) => {
    response.writeHead(200, { ...HTML, 'content-encoding': 'br' });
    const fast = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } };
    response.end(await bomb((data) => promisify(zlib.brotliCompress)(data, fast)));
  },
  '/bomb-zstd-frames': async ({ response }) => {
    response.writeHead(200, { ...HTML, 'content-encoding': 'zstd' });
    const frame = await promisify(zlib.zstdCompress)(Buffer.alloc(1_048_576, ' '));
    response.end(Buffer.concat(Array.from({ length: BOMB_MIB }, () => frame)));
  },
  '/bomb-gzip-wrong-checksum': async ({ response }) => {
    response.writeHead(200, { ...HTML, 'content-encoding': 'gzip' });
    const member = altered(await promisify(zlib.gzip)(Buffer.alloc(1_048_576, ' ')), -8);
    response.end(Buffer.concat(Array.from({ length: BOMB_MIB }, () => member)));
  },
  '/large': async ({ response }) => {
    response.writeHead(200, HTML);
    const chunk = `<p>${'large '.repeat(20_000)}</p>`;
    for (let index = 0; index < 200 && !response.destroyed; index += 1) {
      if (!response.write(chunk))
        await Promise.race([sleep(1000), new Promise((resolve) => response.once('drain', resolve))]);
    }
    response.end();
  },

  '/latin1-header': bytes(
    'text/html; charset=ISO-8859-1',
    Buffer.from(document('<p>Gr\u00fc\u00dfe \u0080</p>'), 'latin1'),
  ),
  '/meta-charset': bytes(
    'text/html',
    Buffer.from('<!doctype html><meta charset="windows-1251"><p>\u00cf\u00f0\u00e8\u00e2\u00e5\u00f2</p>', 'latin1'),
  ),
  '/meta-charset-late': bytes(
    'text/html',
    Buffer.from(
      `<!doctype html><head><!-- ${'-'.repeat(2000)} <meta charset="koi8-r"> --><script>"<meta charset='koi8-r'>"</script>
<link title='<meta charset="koi8-r">'><meta name="x" content="y"><META http-equiv=Content-Type
content="text/html; charset=windows-1251"></head><p>\u00cf\u00f0\u00e8\u00e2\u00e5\u00f2</p>`,
      'latin1',
    ),
  ),
  '/meta-charset-late-ascii': bytes(
    'text/html',
    `<!doctype html><style>${' '.repeat(2000)}</style><meta charset="iso-2022-jp"><p>\u001b$BEl5~\u001b(B</p>`,
  ),
  '/meta-charset-in-body': bytes(
    'text/html',
    Buffer.from(`<!doctype html>${' '.repeat(2000)}<body><meta charset="koi8-r"><p>Gr\u00fc\u00dfe</p>`, 'latin1'),
  ),
  '/undeclared-utf8': bytes('text/html', '<!doctype html><p>Grüße, 東京</p>'),
  '/undeclared-latin1': bytes('text/html', Buffer.from('<!doctype html><p>Gr\u00fc\u00dfe</p>', 'latin1')),
  '/no-such-charset': bytes('text/html; charset=no-such-charset', '<!doctype html><p>Grüße</p>'),
  '/utf16': bytes('text/html', Buffer.from('\ufeff<!doctype html><p>Grüße, 東京</p>', 'utf16le')),
  '/utf16be': bytes('text/html', Buffer.from('\ufeff<!doctype html><p>Grüße, 東京</p>', 'utf16le').swap16()),
  '/bom-against-header': bytes('text/html; charset=windows-1251', '\ufeff<!doctype html><p>Grüße, 東京</p>'),
  // A script if decoded as UTF-7; browsers do not support UTF-7.
  '/utf7': bytes('text/html; charset=utf-7', '<!doctype html><p>+ADw-script+AD4- 1 +- 1</p>'),
  // A label of the encoding `replacement`: its bytes must not be decoded, as they may hide markup.
  '/replacement': bytes('text/html; charset=iso-2022-kr', '<!doctype html><p>hidden</p>'),
  '/wrong-charset': bytes('text/html; charset=no-such-charset', '<!doctype html><meta charset="utf-8"><p>Grüße</p>'),
  '/shift-jis': bytes(
    'text/html; charset=Shift_JIS',
    Buffer.concat([Buffer.from('<!doctype html><p>'), Buffer.from([0x93, 0x8c, 0x8b, 0x9e]), Buffer.from('</p>')]),
  ),

  '/xhtml': bytes(
    'application/xhtml+xml',
    '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body><p>XHTML text</p></body></html>',
  ),
  '/xhtml-empty-elements': bytes(
    'application/xhtml+xml',
    `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title><script src="/none.js"/></head>
<body><a id="top"/><iframe src="/static"/><p>${MARK}<br/><![CDATA[1 < 2]]></p></body></html>`,
  ),
  '/no-type': bytes(undefined, TEXT),
  '/no-type-binary': bytes(undefined, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0])),
  '/xhtml-as-xml': bytes(
    'text/xml',
    `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body><p>${MARK}</p></body></html>`,
  ),
  '/feed': bytes('application/rss+xml', '<?xml version="1.0"?><rss version="2.0"><channel></channel></rss>'),
  '/xml': bytes('application/xml', '<?xml version="1.0"?><urlset><url><loc>http://site.test/</loc></url></urlset>'),
  '/xml-styled': bytes('text/xml', '<?xml-stylesheet type="text/css" href="/a.css"?><list><item>one</item></list>'),
  '/json': bytes('application/json', '{"not":"html"}'),
  '/text': bytes('text/plain', 'not html'),
  '/pdf': bytes('application/pdf', '%PDF-1.4 not html'),
  '/image': bytes('image/gif', Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')),
  '/pdf-as-html': bytes('text/html', Buffer.from('%PDF-1.7\n%\u00e2\u00e3\u00cf\u00d3\n1 0 obj', 'latin1')),
  '/gif-as-html': bytes('text/html', Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')),
  '/png-as-html': bytes('text/html', Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ', 'base64')),
  '/jpeg-as-html': bytes('text/html; charset=utf-8', Buffer.from('/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//', 'base64')),
  '/zip-as-html': bytes('text/html', Buffer.from('PK\u0003\u0004\u0014\0\0\0\u0008\0', 'latin1')),
  '/json-as-html': bytes('text/html', `{"open": "${MARK}"}`),
  '/text-about-files': bytes('text/html', `PDF begins with %PDF-1.7, GIF with GIF89a. ${MARK}`),
  '/download': ({ response }) => {
    response.writeHead(200, {
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="x.bin"',
    });
    response.end('download');
  },
  '/attached-page': page(ARTICLE, { 'content-disposition': 'attachment; filename=page.html' }),
  '/empty-204': ({ response }) => void response.writeHead(204).end(),

  '/304': ({ response }) => void response.writeHead(304).end(),
  '/404': status(404, '<h1>Not here</h1><p>There is no such page.</p>'),
  '/403': status(403, '<h1>Forbidden</h1><p>Ask the owner.</p>'),
  '/500': status(500, '<h1>Broken</h1>'),
  '/429': ({ response }) => {
    response.writeHead(429, { ...HTML, 'retry-after': '7' });
    response.end(document('<p>Slow down.</p>'));
  },
  '/404-json': ({ response }) => void response.writeHead(404, { 'content-type': 'application/json' }).end('{}'),
  '/404-download': ({ response }) => {
    response.writeHead(404, { ...HTML, 'content-disposition': 'attachment' });
    response.end(document('<p>There is no such file.</p>'));
  },
  '/block': ({ response }) => {
    response.writeHead(403, { ...HTML, 'cf-mitigated': 'challenge' });
    response.end(document('<p>Verify you are human.</p>', 'Just a moment...'));
  },
  '/block-200': ({ response }) => {
    response.writeHead(200, HTML);
    response.end(
      document('<form><div class="g-recaptcha"></div></form><p>Please complete the captcha.</p>', 'Robot check'),
    );
  },
  /** Refuses plain clients and accepts those that run scripts. */
  '/scripts-only': ({ request, response }) => {
    const passed = request.headers.cookie?.includes('passed=1') ?? false;
    response.writeHead(passed ? 200 : 403, HTML);
    response.end(
      passed
        ? document(`${ARTICLE}<p>${MARK}</p>`)
        : document(`<script>document.cookie = 'passed=1'; location.reload();</script>`, 'Just a moment...'),
    );
  },
  '/about-captchas': page(
    `<h1>How captchas work</h1>${ARTICLE}<p>A captcha asks: are you a robot? Checking your browser is another way.</p>`,
  ),

  '/redirect': redirect(302, '/static'),
  '/redirect-relative': redirect(301, 'static?from=relative'),
  '/redirect-chain': redirect(302, (url) => {
    const left = Number(url.searchParams.get('n') ?? 0);
    return left > 0 ? `/redirect-chain?n=${left - 1}` : '/static';
  }),
  '/redirect-loop': redirect(302, '/redirect-loop'),
  '/redirect-to': redirect(302, (url) => url.searchParams.get('to') ?? '/static'),
  '/choice': redirect(300, (url) => url.searchParams.get('to') ?? '/static?from=choice'),
  '/choice-loop': redirect(300, '/choice-loop'),
  '/redirect-utf8': redirect(302, '/static?q=ü'),
  '/redirect-utf8-host': redirect(302, (url) => `//bücher.test:${url.search.slice(1)}/static?q=1#ü`),
  '/redirect-latin1': ({ response }) => void response.writeHead(302, { location: '/static?q=caf\u00e9' }).end(),
  '/cookie-redirect': ({ request, response }) => {
    const passed = request.headers.cookie?.includes('seen=1') ?? false;
    if (passed) response.writeHead(200, HTML).end(document(`${ARTICLE}<p>${MARK}</p>`));
    else response.writeHead(302, { location: '/cookie-redirect', 'set-cookie': 'seen=1; Path=/; HttpOnly' }).end();
  },

  '/critical-hint': page(`${ARTICLE}<p>${MARK}</p>`, {
    'accept-ch': 'Sec-CH-Prefers-Color-Scheme',
    'critical-ch': 'Sec-CH-Prefers-Color-Scheme',
  }),

  '/with-length': page(`${ARTICLE}<p>${MARK}</p>`, {
    'content-length': String(Buffer.byteLength(document(`${ARTICLE}<p>${MARK}</p>`))),
  }),

  '/drip': async ({ response, url }) => {
    response.writeHead(200, HTML);
    response.write(`<!DOCTYPE html><title>drip</title>${url.searchParams.has('article') ? ARTICLE : ''}`);
    while (!response.destroyed) {
      response.write('<p>drop</p>');
      await sleep(50);
    }
  },
  '/no-answer': () => {},
  // Enough for a browser to start rendering.
  '/no-body': ({ response }) => void response.writeHead(200, HTML).write('\n'),
  '/bare-line-feeds': ({ request }) =>
    void request.socket.end(`HTTP/1.1 200 OK\nContent-Type: text/html; charset=utf-8\nConnection: close\n\n${TEXT}`),
  '/two-lengths': ({ request }) => {
    const length = `Content-Length: ${Buffer.byteLength(TEXT)}\r\n`;
    const head = `HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n${length}${length}Bad Header: x\r\n`;
    request.socket.end(`${head}\r\n${TEXT}`);
  },
  '/equal-lengths': ({ request, url }) => {
    const length = Buffer.byteLength(TEXT);
    const more = Number(url.searchParams.get('more') ?? 0);
    const lengths = `Content-Length: ${length}\r\ncontent-length:${length + more}\r\n`;
    const head = `HTTP/1.1 200 OK\r\n${lengths}Content-Type: text/html; charset=utf-8\r\n\r\n`;
    request.socket.write(url.searchParams.has('continue') ? `HTTP/1.1 100 Continue\r\n\r\n${head}` : head);
    request.socket.write(TEXT);
  },
  '/odd-head': ({ request, url }) => {
    const length = Buffer.byteLength(TEXT);
    const two = ['Transfer-Encoding: chunked\r\n', 'Content-Length: 10\r\n'];
    const lengths = (url.searchParams.has('later') ? two.toReversed() : two).join('');
    const spaced = `X-Served-By : a b\r\nContent-Length : ${length}\r\n`;
    const isChunked = url.searchParams.has('chunked');
    request.socket.write(
      `HTTP/1.1 200 OK\r\n${isChunked ? lengths : spaced}Content-Type: text/html; charset=utf-8\r\n\r\n`,
    );
    request.socket.write(isChunked ? `${length.toString(16)}\r\n${TEXT}\r\n0\r\n\r\n` : TEXT);
  },
  '/spaced-chunk': ({ request }) =>
    void request.socket.write(
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${Buffer.byteLength(TEXT).toString(16)}  \r\n${TEXT}\r\n0\r\n\r\n`,
    ),
  '/continue-first': async ({ request }) => {
    request.socket.write('HTTP/1.1 100 Continue\r\n\r\n');
    await sleep(50);
    const head = `HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: `;
    for (const part of [head, `${Buffer.byteLength(TEXT)}\r`, `\n\r\n${TEXT}`]) {
      request.socket.write(part);
      await sleep(50);
    }
  },
  '/too-short': ({ request }) =>
    void request.socket.end('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5000\r\n\r\n<p>cut off'),
  // Ends in the middle of the body, with a declared length or chunked.
  '/cut-off': async ({ request, response, url }) => {
    response.writeHead(200, { ...HTML, ...(url.searchParams.has('chunked') ? {} : { 'content-length': '100000' }) });
    response.write(document(`${ARTICLE}<p>${MARK}</p>`).slice(0, 900));
    await sleep(200);
    request.socket.destroy();
  },
  '/reset': ({ request }) => void request.socket.resetAndDestroy(),
  '/not-http': ({ request }) => void request.socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
  '/headers': ({ request, response }) => {
    response.writeHead(200, HTML);
    response.end(
      document(
        `<pre>${Object.entries(request.headers)
          .map(([name, value]) => `${name}: ${String(value)}`)
          .join('\n')
          .replaceAll('<', '&lt;')}</pre>`,
      ),
    );
  },
};
