/** A page made to break an extractor. At scale 1 it has the size in its name. */
export interface HostilePage {
  readonly name: string;
  readonly build: (scale: number) => string;
  /** Takes long at full scale: tests build a twentieth of it. */
  readonly isHeavy?: boolean;
}

const WORDS = 'the tide comes in and the tide goes out, twice a day. ';

export const HOSTILE_PAGES: readonly HostilePage[] = [
  { name: 'empty string', build: () => '' },
  { name: '1 MB of "<"', build: (scale) => '<'.repeat(1_048_576 * scale) },
  { name: '100,000 nested elements', build: (scale) => `${'<div>'.repeat(100_000 * scale)}deep text` },
  {
    name: '100,000 nested quotes with text',
    build: (scale) => '<blockquote>a b'.repeat(100_000 * scale),
    isHeavy: true,
  },
  {
    name: '10,000 nested elements of code, each beside hidden code',
    build: (scale) =>
      `<p>text</p>${'<div>'.repeat(10_000 * scale)}<pre>${'<i>1</i> '.repeat(20_000 * scale)}</pre>${'</div><div hidden><pre>abc</pre></div>'.repeat(10_000 * scale)}`,
    isHeavy: true,
  },
  { name: '30,000 nested tables', build: (scale) => '<table><tr><td>cell'.repeat(30_000 * scale), isHeavy: true },
  { name: '50,000 nested lists', build: (scale) => '<ul><li>item '.repeat(50_000 * scale), isHeavy: true },
  {
    name: '60,000 unclosed formats, each followed by a paragraph',
    build: (scale) =>
      `<article>${Array.from({ length: 60_000 * scale }, (_, index) => `<font size=${index}>x<p>`).join('')}`,
    isHeavy: true,
  },
  {
    name: 'a line of 100,000 dates',
    build: (scale) => `<article><p>${'<time datetime="2024-13-45">1 May</time> '.repeat(100_000 * scale)}`,
    isHeavy: true,
  },
  { name: '1,000,000 nodes', build: (scale) => `<article>${'<p>a</p>'.repeat(500_000 * scale)}`, isHeavy: true },
  {
    name: '200,000 paragraphs',
    build: (scale) => `<article>${`<p>${WORDS}</p>`.repeat(200_000 * scale)}`,
    isHeavy: true,
  },
  { name: 'table of 100,000 cells', build: (scale) => buildTable(1_000 * scale) },
  { name: '1 MB with NULs', build: (scale) => `<p>${'a\0b '.repeat(262_144 * scale)}` },
  {
    name: 'lone surrogates',
    build: (scale) => `<title>\ud800</title>${'<p>x\ud800 y\udfff</p>'.repeat(20_000 * scale)}`,
  },
  { name: 'a word of 5 MB', build: (scale) => `<article><p>${'a'.repeat(5_242_880 * scale)}</p></article>` },
  {
    name: 'a 5 MB run of no-break spaces',
    build: (scale) => `<p>a${'\u00a0'.repeat(5_242_880 * scale)}b`,
    isHeavy: true,
  },
  { name: 'a JSON-LD bomb', build: (scale) => buildJsonLd('['.repeat(100_000 * scale)) },
  {
    name: 'a JSON-LD list of 100,000 items',
    build: (scale) => buildJsonLd(`[${'{"@type":"Article","author":{"name":"A"}},'.repeat(100_000 * scale)}{}]`),
    isHeavy: true,
  },
  { name: '1,000,000 links', build: (scale) => buildLinks(1_000_000 * scale), isHeavy: true },
  {
    name: '200,000 images',
    build: (scale) => `<p>text</p>${'<img src="a.jpg" srcset="b.jpg 1x, c.jpg 2x">'.repeat(200_000 * scale)}`,
    isHeavy: true,
  },
  {
    name: 'an attribute of 10 MB',
    build: (scale) => `<p class="${'x '.repeat(5_242_880 * scale)}" id=p>text`,
    isHeavy: true,
  },
  {
    name: 'a style sheet of 10 MB',
    build: (scale) => `<p style="${'display:;'.repeat(1_165_084 * scale)}">text`,
    isHeavy: true,
  },
  { name: '100,000 attributes', build: (scale) => `<p ${buildAttributes(100_000 * scale)}>text` },
  {
    name: '6,000 unclosed formats',
    build: (scale) => '<b><i><a href=x>'.repeat(2_000 * scale) + '<p>text '.repeat(200),
  },
  {
    name: '100,000 meta tags',
    build: (scale) => '<meta property="article:published_time" content="2024-01-01">'.repeat(100_000 * scale),
    isHeavy: true,
  },
  {
    name: 'an author with 150 academic titles',
    build: () => `<meta name="author" content="Jane Doe${' md'.repeat(150)}!"><article><p>${WORDS}`,
  },
  {
    name: '1 MB of spaces in a width',
    build: (scale) => `<p>${WORDS}<img src="a.png" width="1${' '.repeat(1_048_576 * scale)}x">`,
  },
  {
    name: '1 MB of blank lines in a listing',
    build: (scale) => `<article><p>${WORDS.repeat(20)}<pre>a = 1;${'\n'.repeat(1_048_576 * scale)}b = 2;</pre>`,
  },
  {
    name: '2,000 addresses of 8,000 spaces',
    build: (scale) => {
      const blanks = ' '.repeat(8_000);
      return `<p>${WORDS}${Array.from({ length: 2_000 * scale }, (_, i) => `<a href="/${i}${blanks}b">link</a>`).join('')}`;
    },
    isHeavy: true,
  },
  {
    name: '100,000 nested hidden elements',
    build: (scale) => '<div style="display:none" hidden>a'.repeat(100_000 * scale),
    isHeavy: true,
  },
  {
    name: '100,000 hidden elements with rules that hide them',
    build: (scale) =>
      `<style>${Array.from({ length: 20_000 * scale }, (_, i) => `.h${i}{display:none}`).join('')}@media{{{</style><h1>t</h1>${Array.from({ length: 100_000 * scale }, (_, i) => `a<p class="h${i} x" style="font-size:0">b`).join('')}`,
    isHeavy: true,
  },
  {
    name: '80,000 rules without a semicolon',
    build: (scale) => `<style>${'a{}'.repeat(80_000 * scale)}b{display:none}</style><p>${WORDS}`,
  },
  {
    name: '30,000 rules in 12,000 nested ones',
    build: (scale) =>
      `<style>${'@media all{'.repeat(12_000 * scale)}${'.a{}'.repeat(30_000 * scale)}none</style><p>${WORDS}`,
  },
  {
    name: '10,000 style rules that hide the same paragraphs, most of which another rule might reveal',
    build: (scale) =>
      `<style>${'.a p{opacity:0}'.repeat(5_000 * scale)}${'.a.z p{opacity:1}'.repeat(5_000 * scale)}</style><div class=a>${'<p>a b'.repeat(100_000 * scale)}`,
  },
  {
    name: '5,000 nested style rules, each of which repeats the selector around it',
    build: (scale) => `<style>.a{${'&&{'.repeat(5_000 * scale)}display:none</style><p>${WORDS}`,
  },
  {
    name: '80,000 comments with odd ends',
    build: (scale) => `<p>${WORDS}${'<!--a--!>'.repeat(80_000 * scale)}-->`,
  },
  {
    name: '100,000 time elements',
    build: (scale) => '<p>By A B <time datetime="2024-01-01">1 May 2024</time></p>'.repeat(100_000 * scale),
    isHeavy: true,
  },
];

function buildTable(rows: number): string {
  return `<table>${`<tr>${'<td>cell</td>'.repeat(100)}</tr>`.repeat(rows)}</table>`;
}

function buildJsonLd(json: string): string {
  return `<script type="application/ld+json">${json}</script><p>text</p>`;
}

function buildLinks(count: number): string {
  const parts = [];
  for (let i = 0; i < count; i++) parts.push(`<a href="/${i}">l</a>`);
  return parts.join('');
}

function buildAttributes(count: number): string {
  return Array.from({ length: count }, (_, i) => `a${i}=1`).join(' ');
}
