/** Pages, documents, pictures and feeds that a site serves or a caller uploads. */
import { readFileSync } from 'node:fs';
import { deflateSync, gzipSync } from 'node:zlib';
import { CONTENT_PAGES } from '../../interface/content-pages.ts';
import { stream, writePage, writePdf } from '../../documents/write-pdf.ts';
import { ARTICLE } from '../../support/test-pages.ts';
import { parseAnswer } from './fuzz-target.ts';
import type { ServiceTarget } from './fuzz-target.ts';
import { makeAnswer } from './hostile-site.ts';
import { mutate, mutateBytes } from './mutate.ts';
import type { Vocabulary } from './mutate.ts';
import type { Random } from './random.ts';
import type { FuzzInput, Surface } from './run-fuzz.ts';

const SENTENCE = 'The harbour town keeps its old market, and the fishermen sell there every morning. ';

/** One of everything that the extractor reads. */
const RICH_PAGE = `<!doctype html><html lang="en" itemscope itemtype="https://schema.org/NewsArticle"><head>
<meta charset="utf-8"><title>The market | Harbour News</title><base href="/news/"><link rel="canonical" href="market">
<meta property="og:title" content="The market"><meta property="og:image" content="/m.jpg"><meta name="twitter:creator" content="@ada">
<meta property="article:published_time" content="2024-05-06T07:08:09+02:00"><meta name="citation_author" content="Example, Ada">
<meta http-equiv="refresh" content="300; url=/next"><meta name="robots" content="noindex"><link rel="alternate" hreflang="de" href="/de">
<script type="application/ld+json">{"@context":"https://schema.org","@graph":[{"@type":["NewsArticle"],"@id":"#a","headline":"The market","author":[{"@type":"Person","name":"Ada Example","@id":"#p"},{"@id":"#p"}],"datePublished":"2024-05-06","articleBody":"${SENTENCE}","offers":{"price":"12.50"}},{"@type":"BreadcrumbList","itemListElement":[{"position":1,"name":"News"}]}]}</script>
<style>.hidden{display:none} p:nth-child(2n+1)>a[href^="x"]::before{content:"\\201C"} @media (max-width:1px){main{opacity:0}}</style></head>
<body class="post single" onload="x()"><header role="banner"><nav aria-label="Main"><ul><li><a href="/">Home</a><li><a href="/news?page=2&amp;x=1">News</a></ul></nav></header>
<main><article itemprop="articleBody"><h1 itemprop="headline">The market by the harbour</h1><p class="byline">By <a rel="author" href="/ada">Ada Example</a>, <time datetime="2024-05-06T07:08:09Z">6 May 2024</time></p>
<p>${SENTENCE.repeat(4)}<b>bold <i>both</i></b> <code>a\`b</code> <sup>1</sup> <kbd>x</kbd> &lt;img src=x onerror=alert(1)&gt;</p><h2 id="prices">Prices</h2>
<table><caption>Fish</caption><thead><tr><th colspan=2>Fish<th rowspan="2">Price</thead><tr><td>Cod<td>1<td>€ 1.299,00</table>
<figure><picture><source srcset="/a.webp 1x, /b.webp 2x"><img src="/a.jpg" alt="A fish" width=640 height=480 loading=lazy></picture><figcaption>A fish</figcaption></figure>
<blockquote cite="/q"><p>${SENTENCE}</p></blockquote><ol start=3 reversed><li>One<li value=7>Two<ul><li><p>Three</p></ul></ol><dl><dt>Term<dd>Meaning</dl>
<pre><code class="language-js">for (;;) { \`\`\` }</code></pre><math><mfrac><mi>a</mi><msqrt><mn>2</mn></msqrt></mfrac></math><script type="math/tex">\\frac{a}{b}</script>
<p style="display:none">Hidden words</p><p aria-hidden="true">Other words</p><details><summary>More</summary><p>${SENTENCE}</p></details>
<iframe srcdoc="&lt;p&gt;Inner&lt;/p&gt;" src="/frame"></iframe><svg viewBox="0 0 9 9"><title>Icon</title><text>Fish</text><foreignObject><p>In SVG</p></foreignObject></svg>
<video poster="/v.jpg"><track src="/v.vtt"></video><form action="/s"><input type=hidden value=1><select><option selected>Two</select><textarea>x</textarea><button>Go</button></form>
<template shadowrootmode="open"><slot></slot></template><custom-element data-x='{"a":1}'>${SENTENCE}</custom-element></article>
<section id="comments"><h3>2 comments</h3><div class="comment"><cite>Bo</cite> <time>2 days ago</time><p>${SENTENCE}</p></div></section></main>
<aside><div class="cookie-banner">We use cookies</div></aside><footer>© 2024 Harbour News <a href="mailto:a@b.example">Mail</a></footer><noscript><img src="/t.gif"></noscript>
<script>window.__NUXT__={"a":[1,2]}</script><script id="__NEXT_DATA__" type="application/json">{"props":{"pageProps":{"body":"${SENTENCE}"}}}</script></body></html>`;

const ELEMENTS =
  'html head body div span p a b i em strong table tr td th tbody caption ul ol li dl dt dd pre code blockquote figure img picture source video iframe svg math mi mfrac foreignObject template noscript noembed noframes plaintext xmp textarea title style script select option optgroup button form input frameset frame marquee font center details summary dialog ruby rt rp main article section aside nav header footer h1 h6 time br hr object embed applet base meta link custom-element'.split(
    ' ',
  );

const HTML: Vocabulary = {
  corpus: [RICH_PAGE, ARTICLE, ...Object.values(CONTENT_PAGES)].map((page) => Buffer.from(page)),
  words: [
    ...ELEMENTS.map((name) => `<${name}>`),
    ...ELEMENTS.map((name) => `</${name}>`),
    ...'class id style href src srcset alt title datetime content property name itemprop itemtype rel role hidden colspan rowspan start value lang dir'
      .split(' ')
      .map((name) => `<p ${name}="`),
    '<p hidden>',
    '<p style="display:none">',
    '<svg><a xlink:href=x>',
    '<!-- ',
    ' -->',
    '<?php',
    '<![CDATA[',
    '&nbsp;',
    '&lt;b&gt;',
    '\u00AD',
    '| a ',
    '* ',
    'http://a.example/b ',
    '1 May 2024, ',
    'By A. Person and ',
    '$x^2$ ',
    '\\(\\href{javascript:alert(1)}{x}\\)',
  ],
  pairs: ELEMENTS.map((name) => [`<${name}>`, `</${name}>`] as const),
};

const CSS_RULES = [
  'p,.a>b~c+d:not(.e):is(f,g):where(h):has(i)::before{content:"\\201C" attr(x);color:rgba(0,0,0,0)}',
  '@media screen and (min-width:1px){.hidden{display:none!important}}',
  '@import url("/style.css") layer(a) supports(display:grid);',
  '@supports (display:grid) and (not (display:inline-grid)){main{opacity:calc(1*0)}}',
  '@font-face{font-family:"X";src:url(data:font/woff2;base64,AAAA)}',
  ':root{--a:var(--b);--b:var(--a)} p{width:var(--a,calc(100%*(1 + 2)));font-size:0}',
  '@layer a,b;@container x (width>400px){article{visibility:hidden}}',
  'article{& p{text-indent:-9999px;&:nth-child(2n+1 of .x){clip-path:inset(100%)}}}',
  '@keyframes k{from{opacity:0}to{opacity:1}} h1{animation:k 1s infinite;position:absolute;left:-9999px}',
  '#a[href^="x" i],a[b|=c]{background:url(x.png) no-repeat,linear-gradient(#fff,#fff);color:#fff}',
];

const CSS: Vocabulary = {
  corpus: [...CSS_RULES, CSS_RULES.join('\n')].map((rules) => Buffer.from(rules)),
  words: [
    ...'p .a #a * > ~ + , : :: ; { } ( ) [ ] @ ! / * \\ " \' display:none opacity:0 !important :not( :has( :is( var( calc( url( attr( @media @import @charset @namespace @layer @page \\31 \\00031 \\110000 /* */ <!-- --> U+0-10FFFF #fff 1e999px 0% -1 :nth-child( ::before content:'.split(
      ' ',
    ),
    'color:transparent;',
    'p{display:none}',
    ':not(:not(',
  ],
  pairs: [
    ['{', '}'],
    ['(', ')'],
    ['[', ']'],
    [':not(', ')'],
    [':has(', ')'],
    ['calc(', ')'],
    ['@media all{', '}'],
    ['/*', '*/'],
    ['"', '"'],
    ['& p{', '}'],
  ],
};

const FEEDS: Vocabulary = {
  corpus: [
    `<?xml version="1.0" encoding="utf-8"?><?xml-stylesheet href="/s.xsl"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>Harbour</title><link>http://a.example/</link><item><title>One</title><pubDate>Mon, 06 May 2024 07:08:09 +0200</pubDate><dc:creator>Ada</dc:creator><content:encoded><![CDATA[<p>${SENTENCE}</p>]]></content:encoded><enclosure url="/a.mp3" length="1" type="audio/mpeg"/></item></channel></rss>`,
    `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://a.example/"><title type="html">&lt;b&gt;Harbour</title><updated>2024-05-06T07:08:09Z</updated><entry><id>urn:1</id><title>One</title><link rel="alternate" href="/1"/><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>${SENTENCE}</p></div></content></entry></feed>`,
    `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><channel rdf:about="http://a.example/"><items><rdf:Seq><rdf:li resource="/1"/></rdf:Seq></items></channel><item rdf:about="/1"><title>One</title></item></rdf:RDF>`,
    JSON.stringify({
      version: 'https://jsonfeed.org/version/1.1',
      title: 'Harbour',
      items: [{ id: '1', url: 'http://a.example/1', content_html: `<p>${SENTENCE}</p>` }],
    }),
  ].map((feed) => Buffer.from(feed)),
  words:
    '<item> </item> <entry> </entry> <title> </title> <link/> <![CDATA[ ]]> <?xml version="1.1" encoding="utf-16"?> <!DOCTYPE rss> <!ENTITY &amp; &lt; &x; xmlns: xml:space= " \' = / <!-- --> <a:b:c> <__proto__> <constructor>'.split(
      ' ',
    ),
  pairs: [
    ['<item>', '</item>'],
    ['<entry>', '</entry>'],
    ['<![CDATA[', ']]>'],
    ['<a:b>', '</a:b>'],
    ['{"a":', '}'],
    ['[', ']'],
  ],
};

const DOCUMENTS: Vocabulary = {
  corpus: [
    `# The market\n\n${SENTENCE.repeat(3)}\n\n* one\n  1. two\n     > three\n\n| a | b |\n|---|:-:|\n| [x](http://a.example "t") | ![i][r] |\n\n[r]: /i.png\n\n\`\`\`js\nfor (;;) {}\n\`\`\`\n\nTerm~~del~~ **bold _both_** <b onclick=x>html</b> <http://a.example>\n\n---\nTitle\n===\n`,
    `{"title":"The market","body":["${SENTENCE}",1e5,null,{"__proto__":{"a":true}}],"nested":{"a":[[[]]]}}`,
    `{"a":1}\n{"a":2}\n${JSON.stringify({ text: SENTENCE })}\n`,
    `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><a b="1"><c>${SENTENCE}</c><![CDATA[x]]><!-- y --></a>`,
    `The market\n\n${SENTENCE.repeat(5)}\n\n\u001B[31mred\u001B[0m\ttab\r\n`,
  ].map((text) => Buffer.from(text)),
  words: [
    ...'# ## * - + > ` ``` ~~~ ** __ _ ~~ [ ] ( ) ![ ]( <a> </a> <!-- --> | |--- \\ &amp; [^1] [^1]: === --- *** {} [] {" ": , null'.split(
      ' ',
    ),
    '\n',
    '\n\n    ',
    '\n> ',
    '\n* ',
    '\n|',
    '[a]: /b\n',
    '![a](',
  ],
  pairs: [
    ['[', '](x)'],
    ['**', '**'],
    ['_', '_'],
    ['> ', '\n'],
    ['`', '`'],
    ['{"a":', '}'],
    ['[', ']'],
    ['<a>', '</a>'],
    ['- ', '\n'],
  ],
};

const CMAP = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /A def 1 begincodespacerange <0000> <FFFF> endcodespacerange 2 beginbfchar <0041> <0042> <0043> <D83DDE00> endbfchar 1 beginbfrange <0050> <0060> <0070> endbfrange 1 beginbfrange <0061> <0062> [<0071> <0072>] endbfrange endcmap`;
const TEXT = `BT /F 11 Tf 1 0 0 1 50 760 Tm 14 TL (The market by the harbour) Tj T* (${SENTENCE}) Tj T* [(The) -250 (old) 120.5 (town)] TJ 0 Tc 5 Tw 100 Tz 0 Tr 3 Ts (words) ' <00410042> Tj ET q 0.5 0 0 0.5 10 10 cm 50 50 200 100 re S /X Do Q BI /W 1 /H 1 /BPC 8 /CS /G ID x EI`;

const PDF: Vocabulary = {
  corpus: [
    writePage(stream('', Buffer.from(TEXT)), {
      catalog:
        '/Outlines 8 0 R/Names<</Dests<</Names[(a)[3 0 R/Fit]]>>>>/Lang(en)/MarkInfo<</Marked true>>/StructTreeRoot 9 0 R/AcroForm<</Fields[7 0 R]>>',
      page: '/Annots[6 0 R 7 0 R]/Rotate 90/UserUnit 1.0/StructParents 0',
      objects: [
        '<</Type/Annot/Subtype/Link/Rect[40 750 400 780]/A<</S/URI/URI(http://a.example/)>>>>',
        '<</Type/Annot/Subtype/Widget/FT/Tx/T(t)/V(value)/Rect[40 600 400 640]/DA(/F 9 Tf)>>',
        '<</Type/Outlines/First 6 0 R/Last 6 0 R/Count 1>>',
        '<</Type/StructTreeRoot/K[<</S/P/K 0/Pg 3 0 R>>]/ParentTree<</Nums[0[6 0 R]]>>>>',
      ],
    }),
    writePdf([
      '<</Type/Catalog/Pages 2 0 R/Metadata 9 0 R>>',
      '<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 600 800]>>',
      '<</Type/Page/Parent 2 0 R/Contents[4 0 R 4 0 R]/Resources<</Font<</F 5 0 R/G 8 0 R>>/ExtGState<</E<</Font[5 0 R 9]>>>>/XObject<</X 10 0 R>>>>>>',
      stream('', Buffer.from(TEXT)),
      '<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/DescendantFonts[6 0 R]/ToUnicode 7 0 R>>',
      '<</Type/Font/Subtype/CIDFontType2/BaseFont/A/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/DW 1000/W[0[500 600]3 20 700]/W2[1 5 -500 250 800]/DW2[880 -1000]/FontDescriptor<</Type/FontDescriptor/FontName/A/Flags 4/FontBBox[0 0 1000 1000]/ItalicAngle 0/Ascent 800/Descent -200>>/CIDToGIDMap/Identity>>',
      stream('', Buffer.from(CMAP)),
      '<</Type/Font/Subtype/Type3/FontBBox[0 0 10 10]/FontMatrix[0.1 0 0 0.1 0 0]/FirstChar 65/LastChar 67/Widths[10 10 10]/CharProcs<</a 4 0 R>>/Encoding<</Type/Encoding/Differences[65/a/b/c]>>>>',
      stream(
        '/Type/Metadata/Subtype/XML',
        Buffer.from('<x:xmpmeta xmlns:x="adobe:ns:meta/"><dc:title>The market</dc:title></x:xmpmeta>'),
      ),
      stream(
        '/Type/XObject/Subtype/Form/BBox[0 0 99 99]/Resources<</Font<</F 5 0 R>>>>/Matrix[1 0 0 1 0 0]',
        Buffer.from('BT /F 9 Tf (form) Tj ET'),
      ),
    ]),
    writePage(stream('/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 4>>', deflateSync(Buffer.from(TEXT)))),
    writePage(stream('/Filter[/ASCIIHexDecode/LZWDecode/RunLengthDecode/ASCII85Decode]', Buffer.from('42540a3e'))),
    ...['latex-article', 'writer-report', 'encrypted'].map((name) =>
      readFileSync(new URL(`../../documents/fixtures/${name}.pdf`, import.meta.url)),
    ),
  ],
  words: [
    ...'/Type /Font /Subtype /Type0 /Type1 /Type3 /TrueType /CIDFontType0 /W /W2 /DW2 /Widths /FirstChar /LastChar /Kids /Count /Parent /Contents /Resources /Encoding /Differences /ToUnicode /Identity-H /UniJIS-UTF16-H /Filter /FlateDecode /LZWDecode /DCTDecode /JPXDecode /JBIG2Decode /CCITTFaxDecode /Crypt /DecodeParms /Predictor /Columns /Colors /Length /Size /Root /Prev /XRefStm /ObjStm /N /First /Extends /Index /Encrypt /ID /MediaBox /CropBox /Rotate /Annots /Outlines /Dests /FunctionType /Function /Shading /Pattern /SMask /OCProperties /XFA beginbfrange endbfrange beginbfchar begincidrange usecmap <0000> <FFFF> <FFFFFF> obj endobj stream endstream xref trailer startxref %%EOF R null true << >> [ ] ( ) BT ET Tf Tj TJ Td Tm T* q Q cm Do BI ID EI sh scn Tz Tr'.split(
      ' ',
    ),
    '1 0 R',
    '5 0 R',
    '[0 4294967295 500]',
  ],
  pairs: [
    ['<<', '>>'],
    ['[', ']'],
    ['(', ')'],
    ['<</A', '>>'],
    ['q ', ' Q'],
    ['BT ', ' ET'],
    ['[0 ', ' 1]'],
  ],
};

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const IMAGES: Vocabulary = {
  corpus: [
    Buffer.from(PIXEL, 'base64'),
    Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
    Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64'),
    Buffer.from('ffd8ffe000104a46494600010100000100010000ffdb004300', 'hex'),
    Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg"><title>Fish</title><script>x</script><text>The old market</text></svg>',
    ),
    Buffer.from('0000001c667479706176696600000000617669666d696631', 'hex'),
    gzipSync(Buffer.from(ARTICLE)),
    Buffer.from('504b0304140000000800', 'hex'),
    Buffer.from(`\uFEFF${ARTICLE}`, 'utf16le'),
    Buffer.from(ARTICLE),
  ],
  words: [
    'IHDR',
    'IDAT',
    'iCCP',
    'zTXt',
    'tRNS',
    'IEND',
    'GIF89a',
    'RIFF',
    'WEBP',
    'VP8X',
    'JFIF',
    'Exif',
    '<svg>',
    '<html>',
    'ftyp',
    'PK',
  ],
  pairs: [
    ['<svg>', '</svg>'],
    ['RIFF', 'WEBP'],
  ],
};

const TYPES: readonly (string | null)[] = [
  null,
  'text/html',
  'text/html; charset=utf-16',
  'text/html; charset=iso-2022-jp',
  'text/html; charset=x-user-defined',
  'text/html; charset="gb18030',
  'application/xhtml+xml',
  'text/xml',
  'text/plain',
  'text/markdown',
  'application/json',
  'application/rss+xml',
  'application/pdf',
  'application/octet-stream',
  'image/png',
  'image/svg+xml',
  'multipart/x-mixed-replace; boundary=a',
  'text/html; charset=\u00FF',
  ';',
  'text',
];

interface PageRequest {
  readonly path: string;
  readonly type: string | null;
  readonly headers: string;
  readonly use: 'extract' | 'dump' | 'upload';
  /** The other fields of `extract`. */
  readonly extract: Readonly<Record<string, unknown>>;
  readonly engine: 'http' | 'stable' | 'auto';
}

type MakePage = (random: Random) => { readonly bytes: Buffer; readonly type: string | null; readonly path?: string };

function makeRequest(random: Random, engine: PageRequest['engine'] = 'http'): Omit<PageRequest, 'path' | 'type'> {
  const maybe = (fields: object): object => (random.chance(0.3) ? fields : {});
  return {
    use: random.pick(['extract', 'extract', 'extract', 'extract', 'upload', 'dump'] as const),
    headers: random.chance(0.05) ? random.pick(HEADERS) : '',
    engine,
    extract: {
      ...maybe({ formats: ['markdown', 'html', 'stated'] }),
      ...maybe({ chunks: { max_characters: random.pick([200, 1000, 100_000]) } }),
      ...maybe({ favor: random.pick(['precision', 'recall']) }),
      ...maybe({ hidden_text: random.pick(['drop', 'keep']) }),
      ...maybe({ markdown: { links: random.pick(['text', 'references']), images: random.pick(['alt', 'none']) } }),
    },
  };
}

const HEADERS = [
  'Content-Encoding: gzip\r\n',
  'Content-Encoding: br\r\n',
  'Content-Encoding: deflate, gzip\r\n',
  'Content-Encoding: gzip, gzip, gzip, gzip, gzip, gzip\r\n',
  'Content-Language: x\r\nContent-Language: \u00E4\r\n',
  'Link: <a>; rel=canonical, <b\r\n',
  'Content-Disposition: attachment; filename="a.pdf"\r\n',
  'Last-Modified: never\r\n',
  `Set-Cookie: ${'a'.repeat(5000)}\r\n`,
];

function pageSurface(name: string, make: MakePage, engine?: PageRequest['engine']): Surface {
  return {
    name,
    kind: 'service',
    inFlight: engine === undefined ? 8 : 2,
    make: (random) => {
      const { bytes, type, path = '' } = make(random);
      const isLie = random.chance(0.05);
      const more: PageRequest = {
        ...makeRequest(random, engine),
        type: isLie ? random.pick(TYPES) : type,
        path: `/${random.below(1e9)}${path}`,
      };
      return { bytes, more };
    },
    send: (target, input) => sendPage(target as ServiceTarget, input),
  };
}

async function sendPage(service: ServiceTarget, { bytes, more }: FuzzInput): Promise<string> {
  const { path, type, headers, use, extract, engine } = more as PageRequest;
  const url = service.site.url + path;
  const options = { engine_preference: engine };
  if (use === 'upload') {
    const stored = await service.call('/v1/snapshots', { url, html: bytes.toString() });
    const { dom_id: domId } = parseAnswer(stored.text) as { dom_id?: string };
    if (domId === undefined) return readOutcome(stored.text);
    return readOutcome((await service.call('/v1/extract', { extract: { dom_id: domId, ...extract } })).text);
  }
  service.site.add(path, makeAnswer(type, bytes, headers));
  try {
    const body = use === 'dump' ? { url, options } : { extract: { url, options, ...extract } };
    const answer = await service.call(use === 'dump' ? '/v1/dom/dump' : '/v1/extract', body);
    return readOutcome(answer.text);
  } finally {
    service.site.remove(path);
  }
}

/** Returns the error code of an answer, or `ok`. */
export function readOutcome(answer: string): string {
  const body = parseAnswer(answer) as { error?: { code?: string } | string } | null;
  const error = body?.error;
  return typeof error === 'string' ? 'error' : (error?.code ?? 'ok');
}

function makeStyled(random: Random): Buffer {
  const rules = mutate(random, CSS).toString();
  const style = mutate(random, CSS).toString().replaceAll('"', '&quot;');
  return Buffer.from(
    RICH_PAGE.replace(/<style>[^<]*<\/style>/, () => `<style>${rules}</style>`).replace(
      '<p style="display:none">',
      () => `<p style="${style}">`,
    ),
  );
}

/** Compresses some of the changed streams, as most PDFs do. */
function makePdf(random: Random): Buffer {
  if (random.chance(0.7)) return mutate(random, PDF);
  const content = mutate(random, { ...PDF, corpus: [Buffer.from(TEXT)] });
  const map = mutate(random, { ...PDF, corpus: [Buffer.from(CMAP)] });
  const packed = deflateSync(content);
  const damaged = random.chance(0.3) ? mutateBytes(random, packed, { corpus: [packed] }) : packed;
  return writePdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>/XObject<</X 4 0 R>>>>>>',
    stream('/Filter/FlateDecode', damaged),
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>',
    stream('/Filter/FlateDecode', deflateSync(map)),
  ]);
}

export const PAGE_SURFACES: readonly Surface[] = [
  pageSurface('html', (random) => ({ bytes: mutate(random, HTML), type: 'text/html; charset=utf-8' })),
  pageSurface('css', (random) => ({ bytes: makeStyled(random), type: 'text/html' })),
  pageSurface(
    'chromium',
    (random) => ({ bytes: random.chance(0.5) ? makeStyled(random) : mutate(random, HTML), type: 'text/html' }),
    'stable',
  ),
  pageSurface('pdf', (random) => ({ bytes: makePdf(random), type: 'application/pdf' })),
  pageSurface('images', (random) => ({ bytes: mutate(random, IMAGES), type: random.pick(TYPES) })),
  pageSurface('feeds', (random) => ({
    bytes: mutate(random, FEEDS),
    type: random.pick([
      'application/rss+xml',
      'application/atom+xml',
      'text/xml',
      'application/feed+json',
      'text/html',
    ]),
  })),
  pageSurface('documents', (random) => ({
    bytes: mutate(random, DOCUMENTS),
    type: random.pick([
      'text/markdown',
      'application/json',
      'application/x-ndjson',
      'text/xml',
      'text/plain',
      'text/csv',
    ]),
    path: random.pick(['', '.md', '.json', '.txt']),
  })),
];
