import { Prose } from './write-prose.ts';

/** A page that Chromium prints, with print options. */
export interface PrintedPage {
  readonly name: string;
  readonly html: string;
  readonly landscape?: boolean;
  /** Whether Chromium adds headers and footers: date, title, address, page number. */
  readonly hasHeads?: boolean;
}

const ARABIC =
  'السلام الكتاب المدينة الجديدة كان في على من إلى هذا التي بعد يوم العالم الناس الحياة البيت الطريق الماء الشمس القمر الليل النهار العمل الوقت الكبير الصغير'.split(
    ' ',
  );
const HEBREW =
  'שלום ספר עיר חדשה היה על אל זה אחרי יום עולם אנשים חיים בית דרך מים שמש ירח לילה עבודה זמן גדול קטן ילד ארץ'.split(
    ' ',
  );
const RUSSIAN =
  'город книга новый был на в из этот который после день мир люди жизнь дом дорога вода солнце ночь работа время большой маленький эффективный'.split(
    ' ',
  );
const GREEK =
  'πόλη βιβλίο νέος ήταν στο από αυτό που μετά ημέρα κόσμος άνθρωποι ζωή σπίτι δρόμος νερό ήλιος νύχτα δουλειά χρόνος μεγάλος μικρός'.split(
    ' ',
  );

const page = (title: string, css: string, body: string, root = 'lang="en"'): string =>
  `<!doctype html><html ${root}><meta charset="utf-8"><title>${title}</title><style>body{font:12px/1.4 "DejaVu Serif",serif;margin:0}@page{margin:2cm}${css}</style><body>${body}</body></html>`;

const paragraphs = (prose: Prose, count: number): string =>
  prose
    .paragraphs(count)
    .map((text) => `<p>${text}</p>`)
    .join('');

const sections = (prose: Prose, count: number, each = 3): string =>
  Array.from({ length: count }, () => `<h2>${prose.heading()}</h2>${paragraphs(prose, each)}`).join('');

function table(prose: Prose, rows: number, columns: number): string {
  const cells = (tag: string): string =>
    Array.from({ length: columns }, () => `<${tag}>${prose.words(2).join(' ')}</${tag}>`).join('');
  return `<table><tr>${cells('th')}</tr>${Array.from({ length: rows }, () => `<tr>${cells('td')}</tr>`).join('')}</table>`;
}

const GRID = 'table{border-collapse:collapse;width:100%}td,th{border:1px solid #333;padding:4px}';

export function listPrintedPages(): PrintedPage[] {
  const titled = (seed: number): [Prose, string] => {
    const prose = new Prose(seed);
    return [prose, `<h1>${prose.heading()}</h1>`];
  };
  const [one, oneTitle] = titled(1);
  const [two, twoTitle] = titled(2);
  const [three, threeTitle] = titled(3);
  const [grid, gridTitle] = titled(4);
  const [lists, listsTitle] = titled(5);
  const [heads, headsTitle] = titled(6);
  const [links, linksTitle] = titled(7);
  const [aside, asideTitle] = titled(8);
  const [soft, softTitle] = titled(9);
  const [wide, wideTitle] = titled(10);
  const [indented, indentedTitle] = titled(11);
  const arabic = new Prose(12, ARABIC);
  const hebrew = new Prose(13, HEBREW);
  const item = (): string => `<li>${lists.sentence()}</li>`;
  return [
    { name: 'an article in one column', html: page('One', '', oneTitle + sections(one, 5)) },
    {
      name: 'two justified columns under a title',
      html: page(
        'Two',
        'div{column-count:2;text-align:justify;font-size:10px}',
        `${twoTitle}<p>${two.paragraph(3)}</p><div>${sections(two, 6)}</div>`,
      ),
    },
    {
      name: 'three columns',
      html: page('Three', 'div{column-count:3;font-size:9px}', `${threeTitle}<div>${paragraphs(three, 14)}</div>`),
    },
    {
      name: 'tables with lines',
      html: page(
        'Grid',
        GRID,
        `${gridTitle}${paragraphs(grid, 2)}${table(grid, 6, 4)}${paragraphs(grid, 2)}${table(grid, 12, 3)}`,
      ),
    },
    {
      name: 'lists in lists',
      html: page(
        'Lists',
        '',
        `${listsTitle}${paragraphs(lists, 1)}<ul>${item()}${item()}<li>${lists.sentence()}<ul>${item()}${item()}</ul></li></ul>${paragraphs(lists, 1)}<ul>${item()}${item()}</ul>`,
      ),
    },
    {
      name: 'many pages with headers and footers',
      html: page('Heads', '', headsTitle + sections(heads, 16)),
      hasHeads: true,
    },
    {
      name: 'links in the text',
      html: page(
        'Links',
        '',
        `${linksTitle}${Array.from({ length: 6 }, (_, index) => `<p>${links.sentence()} <a href="https://example.com/${index}">${links.words(3).join(' ')}</a> ${links.paragraph(2)}</p>`).join('')}`,
      ),
    },
    {
      name: 'a box beside the text',
      html: page(
        'Box',
        'aside{border:1px solid;padding:8px;margin:12px 0}',
        `${asideTitle}${paragraphs(aside, 3)}<aside><p>${aside.paragraph(2)}</p></aside>${paragraphs(aside, 3)}`,
      ),
    },
    {
      name: 'hyphenated words',
      html: page(
        'Soft',
        'div{column-count:2;text-align:justify;font-size:11px}',
        `${softTitle}<div>${paragraphs(soft, 8).replaceAll(/(\w{4})(\w{4,})/g, '$1&shy;$2')}</div>`,
      ),
    },
    {
      name: 'a wide page',
      html: page('Wide', 'div{column-count:2}', `${wideTitle}<div>${sections(wide, 5)}</div>`),
      landscape: true,
    },
    {
      name: 'paragraphs marked by their indent',
      html: page('Indent', 'p{margin:0;text-indent:2em;text-align:justify}', indentedTitle + sections(indented, 4, 5)),
    },
    {
      name: 'Arabic',
      html: page(
        'Arabic',
        'body{font-family:"DejaVu Sans"}',
        `<h1>${arabic.heading()}</h1>${sections(arabic, 3)}`,
        'lang="ar" dir="rtl"',
      ),
    },
    {
      name: 'Hebrew in two columns',
      html: page(
        'Hebrew',
        'body{font-family:"DejaVu Sans"}div{column-count:2}',
        `<h1>${hebrew.heading()}</h1><div>${sections(hebrew, 4)}</div>`,
        'lang="he" dir="rtl"',
      ),
    },
    { name: 'Russian', html: page('Russian', '', sections(new Prose(14, RUSSIAN), 4), 'lang="ru"') },
    {
      name: 'Greek in two columns',
      html: page('Greek', 'div{column-count:2}', `<div>${sections(new Prose(15, GREEK), 5)}</div>`, 'lang="el"'),
    },
    {
      name: 'code between paragraphs',
      html: page(
        'Code',
        'pre{font-family:"DejaVu Sans Mono"}',
        `${paragraphs(one, 2)}<pre>function first(value) {\n  if (value > 3) return second(value);\n  return null;\n}</pre>${paragraphs(one, 2)}`,
      ),
    },
    {
      name: 'small print under the text',
      html: page(
        'Notes',
        'small{font-size:8px;display:block}',
        `${paragraphs(two, 6)}<small>${two.paragraph(4)}</small>`,
      ),
    },
  ];
}
