/** What a site says about itself, the framing of its answers, and crawl archives. */
import { gzipSync } from 'node:zlib';
import { checkText, Fault } from './fuzz-target.ts';
import type { ArchiveTarget, ServiceTarget } from './fuzz-target.ts';
import { makeAnswer, startHostileSite } from './hostile-site.ts';
import { mutate, mutateBytes } from './mutate.ts';
import type { Vocabulary } from './mutate.ts';
import { readOutcome } from './page-surfaces.ts';
import { awaitBatch } from './request-surfaces.ts';
import type { Surface } from './run-fuzz.ts';

const ROBOTS: Vocabulary = {
  corpus: [
    'User-agent: *\nDisallow: /private/\nAllow: /private/a$\nCrawl-delay: 0.1\nSitemap: /sitemap.xml\n',
    '\uFEFFuser-agent: Winnow\nuser-agent: winnow/1.0\nDisallow: /*?*=b*$\n# comment\n\nUser-Agent: other\nDisallow: /',
    'User-agent: *\r\nDisallow:\r\nAllow: /%7Ea/%E4%F6/**/*.php$\r\nRequest-rate: 1/5s\r\nHost: a\r\n',
  ].map((text) => Buffer.from(text)),
  words:
    'User-agent: Disallow: Allow: Crawl-delay: Sitemap: Request-rate: * $ / # %2F %zz \\ /* *a *$ Winnow \n \r \r\n \uFEFF : 1e9 -1 Infinity'.split(
      / /,
    ),
  pairs: [
    ['User-agent: *\nDisallow: /', '\n'],
    ['*', 'a*'],
    ['/', '$'],
    ['Allow: /', '\n'],
  ],
};

/** Disallowed and slow pages are ordinary; a delay ends with the time limit of the request. */
const ROBOTS_SURFACE: Surface = {
  name: 'robots',
  kind: 'service',
  inFlight: 8,
  make: (random) => ({ bytes: mutate(random, ROBOTS), more: { inBatch: random.chance(0.1) } }),
  send: async (target, { bytes, more }) => {
    const service = target as ServiceTarget;
    const site = await startHostileSite();
    site.add('/robots.txt', makeAnswer('text/plain', bytes));
    const url = `${site.url}/private/a.php?x=1`;
    const options = { engine_preference: 'http', timeout_ms: 3000 };
    try {
      if (!(more as { inBatch: boolean }).inBatch)
        return readOutcome((await service.call('/v1/extract', { extract: { url, options } })).text);
      const answer = await service.call('/v1/batches', { urls: [url, `${site.url}/b`], options });
      await awaitBatch(service, answer);
      return 'batch';
    } finally {
      await site.close();
    }
  },
};

const SITEMAPS: Vocabulary = {
  corpus: [
    '<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>/a?b=1&amp;c</loc><lastmod>2024-05-06</lastmod><priority>.5</priority></url><url><loc><![CDATA[/c]]></loc></url></urlset>',
    '<sitemapindex><sitemap><loc>/sitemap-1.xml</loc></sitemap><sitemap><loc>/sitemap-2.xml.gz</loc></sitemap></sitemapindex>',
    '/a\r\n/b?c=d\n\uFEFF/e\n',
    '<rss><channel><item><link>/a</link></item></channel></rss>',
    '<s:urlset xmlns:s="a" xmlns:image="b"><s:url><s:loc>/a</s:loc><image:image><image:loc>/i.png</image:loc></image:image></s:url></s:urlset>',
  ].map((text) => Buffer.from(text)),
  words:
    '<url> </url> <loc> </loc> <sitemap> <sitemapindex> <urlset> <constructor> <__proto__> <toString> <s:loc> <![CDATA[ ]]> <!-- --> <?xml <!DOCTYPE <!ENTITY &amp; &x; &#0; /a http://a.example/ encoding="utf-16" \n " < >'.split(
      ' ',
    ),
  pairs: [
    ['<url><loc>', '</loc></url>'],
    ['<sitemap>', '</sitemap>'],
    ['<![CDATA[', ']]>'],
    ['<!--', '-->'],
    ['<a>', '</a>'],
    ['/a', '\n'],
  ],
};

const SITEMAP_SURFACE: Surface = {
  name: 'sitemaps',
  kind: 'service',
  inFlight: 8,
  make: (random) => {
    const text = mutate(random, SITEMAPS);
    if (!random.chance(0.2)) return { bytes: text, more: { name: 'sitemap.xml' } };
    const packed = gzipSync(text);
    const bytes = random.chance(0.5) ? mutateBytes(random, packed, { corpus: [packed] }) : packed;
    return { bytes, more: { name: 'sitemap.xml.gz' } };
  },
  send: async (target, { bytes, more }) => {
    const service = target as ServiceTarget;
    const site = await startHostileSite();
    const { name } = more as { readonly name: string };
    site.add('/robots.txt', makeAnswer('text/plain', Buffer.from(`Sitemap: ${site.url}/${name}\n`)));
    // An index leads to the same sitemap again.
    for (const path of [`/${name}`, '/sitemap-1.xml', '/sitemap-2.xml.gz'])
      site.add(path, makeAnswer('application/xml', bytes));
    try {
      const answer = await service.call('/v2/map', { url: site.url, timeout: 5000, sitemap: 'include' });
      return String(answer.status);
    } finally {
      await site.close();
    }
  },
};

const BODY = '<!doctype html><title>The market</title><p>The harbour town keeps its old market.</p>';
const RESPONSES: Vocabulary = {
  corpus: [
    makeAnswer('text/html', Buffer.from(BODY), 'Set-Cookie: a=b; Path=/; Domain=127.0.0.1\r\nETag: "x"\r\nVary: *\r\n'),
    Buffer.from(
      `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n${BODY.length.toString(16)};a=b\r\n${BODY}\r\n0\r\nX: y\r\n\r\n`,
    ),
    Buffer.concat([
      Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n'),
      gzipSync(BODY),
    ]),
    Buffer.from(`HTTP/1.0 200\r\nContent-Type: text/html\r\n\r\n${BODY}`),
    Buffer.from('HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'),
    Buffer.from(
      `HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n${BODY}`,
    ),
    Buffer.from('HTTP/1.1 304 Not Modified\r\nETag: "x"\r\n\r\n'),
    Buffer.from(
      'HTTP/1.1 429 Too Many Requests\r\nRetry-After: Fri, 31 Dec 9999 23:59:59 GMT\r\nContent-Length: 1\r\n\r\nx',
    ),
  ],
  words: [
    ...'HTTP/1.1 HTTP/2 200 204 206 301 307 401 407 503 999 100 101 chunked gzip br zstd deflate identity close text/html charset=utf-7 Location: http://127.0.0.1:1/ http://[::1]/ //a.example/ file:///etc/passwd'.split(
      ' ',
    ),
    ...'Location|Content-Length|Content-Encoding|Transfer-Encoding|Content-Type|Set-Cookie|Refresh|Retry-After|Upgrade|Connection|Content-Range|Age|Date|Content-Language|Link'
      .split('|')
      .map((name) => `\r\n${name}: `),
    '\r\n',
    '\r\n\r\n',
    '\n\n',
    '\0',
    '0\r\n\r\n',
    'ffffffffffffffff\r\n',
  ],
  pairs: [
    ['HTTP/1.1 100 Continue\r\n\r\n', ''],
    ['\r\nX-A: ', '\r\n'],
    ['1\r\nx\r\n', ''],
    ['\r\nSet-Cookie: ', '=b'],
  ],
};

const RESPONSE_SURFACE: Surface = {
  name: 'responses',
  kind: 'service',
  inFlight: 8,
  make: (random) => ({ bytes: mutate(random, RESPONSES, 4), more: { path: `/${random.below(1e9)}` } }),
  send: async (target, { bytes, more }) => {
    const service = target as ServiceTarget;
    const { path } = more as { readonly path: string };
    service.site.add(path, bytes);
    try {
      const options = { engine_preference: 'http', timeout_ms: 5000 };
      const answer = await service.call('/v1/dom/dump', { url: service.site.url + path, options });
      return readOutcome(answer.text);
    } finally {
      service.site.remove(path);
    }
  },
};

function writeRecord(type: string, id: string, content: string | Buffer, more = ''): Buffer {
  const body = Buffer.from(content);
  const head = `WARC/1.1\r\nWARC-Type: ${type}\r\nWARC-Record-ID: <urn:uuid:${id}>\r\nWARC-Target-URI: http://a.example/${id}\r\nWARC-Date: 2026-01-02T03:04:05Z\r\n${more}Content-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body, Buffer.from('\r\n\r\n')]);
}

const PAGE = `<!doctype html><title>The market</title><main><h1>The market</h1>${'<p>The harbour town keeps its old market, and the fishermen sell there.</p>'.repeat(4)}</main>`;
const RECORDS = [
  writeRecord('warcinfo', 'info', 'software: test\r\n'),
  writeRecord(
    'response',
    'one',
    `HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Language: de\r\n\r\n${PAGE}`,
  ),
  writeRecord(
    'response',
    'two',
    Buffer.concat([
      Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n'),
      gzipSync(PAGE),
    ]),
    'Content-Type: application/http; msgtype=response\r\n',
  ),
  writeRecord(
    'response',
    'three',
    `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n${PAGE.length.toString(16)}\r\n${PAGE}\r\n0\r\n\r\n`,
  ),
  writeRecord('revisit', 'four', 'HTTP/1.1 304 Not Modified\r\n\r\n', 'WARC-Refers-To: <urn:uuid:one>\r\n'),
  writeRecord('request', 'five', 'GET / HTTP/1.1\r\nHost: a.example\r\n\r\n'),
];
const WARC: Vocabulary = {
  corpus: [Buffer.concat(RECORDS), ...RECORDS],
  words: [
    ...'WARC/1.1 WARC/1.0 WARC/ HTTP/1.1 200 response revisit resource chunked gzip br text/html <urn:uuid:a> <> :'.split(
      ' ',
    ),
    ...'WARC-Type|WARC-Record-ID|WARC-Target-URI|WARC-Date|Content-Length|Content-Type|Content-Encoding|Transfer-Encoding|WARC-Truncated|WARC-Segment-Number|__proto__'
      .split('|')
      .map((name) => `\r\n${name}: `),
    '\r\n',
    '\r\n\r\n',
    '\r\n\r\nWARC/1.1\r\n',
    '\n',
  ],
  pairs: [
    ['\r\nX-A: ', '\r\n'],
    ['WARC/1.1\r\nContent-Length: 0\r\n', '\r\n\r\n'],
    ['<', '>'],
  ],
};

const WARC_SURFACE: Surface = {
  name: 'warc',
  kind: 'archives',
  inFlight: 1,
  make: (random) => {
    const plain = mutate(random, WARC, 3);
    if (random.chance(0.5)) return { bytes: plain, more: { name: 'a.warc' } };
    const packed = gzipSync(plain);
    const bytes = random.chance(0.4) ? mutateBytes(random, packed, { corpus: [packed] }) : packed;
    return { bytes, more: { name: 'a.warc.gz' } };
  },
  send: async (target, { bytes, more }) => {
    const { code, out, err } = await (target as ArchiveTarget).read((more as { name: string }).name, bytes);
    checkText(out);
    // A fault of the program has a stack; a fault of the archive is a sentence.
    if (code > 2 || /\n {4}at [^\n]*:\d/.test(err)) throw new Fault(`exit code ${code}: ${err.slice(0, 600)}`);
    return `exit code ${code}`;
  },
};

export const SITE_SURFACES: readonly Surface[] = [ROBOTS_SURFACE, SITEMAP_SURFACE, RESPONSE_SURFACE, WARC_SURFACE];
