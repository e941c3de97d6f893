import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { defaultTreeAdapter, parse as parseWhole, serialize, type DefaultTreeAdapterMap } from 'parse5';
import { RunParser } from './run-tokenizer.ts';
import { UnreadText } from './unread-text.ts';

const OPTIONS = { scriptingEnabled: false, treeAdapter: defaultTreeAdapter };

function parse(page: string, readStyle?: (css: string) => void): string {
  const parser = new RunParser<DefaultTreeAdapterMap>(OPTIONS, new UnreadText(readStyle));
  return serialize(parser.run(page)).replace(/<\/?(?:html|head|body)>/g, '');
}

/** Name, page, what is left of it. */
const CASES: readonly (readonly [string, string, string])[] = [
  ['a script', '<p>a<script>if (a < b) "</p>"</script>b</p>', '<p>a<script></script>b</p>'],
  ['a script tag in capitals', '<SCRIPT>x</Script >b', '<script></script>b'],
  [
    'a script that seems to close itself',
    '<p>a<script src="x" />b</script>c</p>',
    '<p>a<script src="x"></script>c</p>',
  ],
  [
    'JSON stays',
    '<script type="application/ld+json">{"a":1}</script>',
    '<script type="application/ld+json">{"a":1}</script>',
  ],
  ['a date stays', '<script>x={"datePublished":"2024"}</script>', '<script>x={"datePublished":"2024"}</script>'],
  ['a style', '<style>p > a {}</style>b', '<style></style>b'],
  ['a comment', 'a<!-- <p> -->b', 'ab'],
  ['empty comments', 'a<!-->b<!--->c', 'abc'],
  ['an unusual end of a comment', 'a<!-- x --!>b<!-- y -->c', 'abc'],
  ['an exclamation mark at the start of a comment', 'a<!--!> x -->b<!---!> y -->c<!----!>d<!-- z -->', 'abcd'],
  ['a comment at the start of a text with its lines', '<pre><!-- x -->\na</pre>', '<pre>\na</pre>'],
  ['a line before that comment', '<pre>\n<!-- x -->\na</pre>', '<pre>\na</pre>'],
  ['a drawing', '<svg class="x"><path d="M0"/><title>t</title></svg>b', '<svg class="x"></svg>b'],
  ['a drawing in a drawing', '<svg><svg><g></g></svg><g></g></svg>b', '<svg></svg>b'],
  ['an end tag in a comment of a drawing', '<svg><!-- </svg> --><g></g></svg>b', '<svg></svg>b'],
  ['HTML in a drawing stays', '<svg><div>a</div></svg>b', '<svg></svg><div>a</div>b'],
  [
    'HTML in the title of a drawing',
    '<svg><title><g></svg>a</g></title></svg>b',
    '<svg><title><g>a</g></title></svg>b',
  ],
  ['an end tag of an element around a drawing', '<p>a<svg><g></p>b</svg>c', '<p>a<svg><g></g></svg></p>bc'],
  ['a link around an unclosed drawing', '<a>b<svg><g></a>c</svg>d', '<a>b<svg><g></g></svg></a>cd'],
  ['a tag of a drawing where none is allowed', '<frameset><svg></frameset></svg>', '<frameset></frameset>'],
  ['quotes in names and values', `<svg><g =">a</g><g b==">c</g></svg>d`, '<svg></svg>d'],
  ['a value that ends with a slash', '<svg><svg a=b/></svg>c</svg>d', '<svg><svg a="b/"></svg>c</svg>d'],
  ['an end tag that is a comment', '<svg></</svg>a</svg>b', '<svg><!--</svg-->a</svg>b'],
  ['a comment after HTML in a drawing', '<svg><!-- c --><p>a</p><!-- d --></svg>b', '<svg></svg><p>a</p>b'],
  ['an unclosed drawing stays', '<svg><path />b', '<svg><path></path>b</svg>'],
  [
    'a tag in a value',
    '<a title="<script>">b</a><script>x</script>',
    '<a title="&lt;script&gt;">b</a><script></script>',
  ],
  ['a quote that opens no value', `<a b">c<script>x</script>d</a>`, `<a b"="">c<script></script>d</a>`],
  ['an unclosed script stays', 'a<script>b', 'a<script>b</script>'],
  ['a comment in a script stays', '<script><!-- x --></script>', '<script><!-- x --></script>'],
  ['text that looks like a script', '<textarea><script>a</textarea>b', '<textarea>&lt;script&gt;a</textarea>b'],
  ['a comment in text', '<title><!-- a</title>b<!-- c -->', '<title>&lt;!-- a</title>b'],
  ['a self-closing frame without an end tag', 'a<iframe src="b" />c', 'a<iframe src="b"></iframe>c'],
  ['a frame whose value ends with a slash', 'a<iframe src=b/>c', 'a<iframe src="b/"></iframe>c'],
  ['self-closing frames before a closed one', '<iframe />a<iframe>b</iframe>', '<iframe></iframe>a<iframe>b</iframe>'],
  ['a frame that only looks self-closing stays', '<iframe />a</iframe>b', '<iframe>a</iframe>b'],
  ['less-than signs that open no tag', 'a < b <3 <', 'a &lt; b &lt;3 &lt;'],
];

/** Tags, comments and broken tokens around and in what is skipped, the most important ones several times. */
const PIECES = [
  ['<svg>', '</svg>', '<svg>', '</svg>', '<svg', '<svg/>', '<g', '<g>', '</g>', '<path/>', '<text>', '<title>', '</title>'],
  ['<desc>', '</desc>', '<a>', '</a>', '<p>', '</p>', '<div>', '</div>', '</br>', '<foreignObject>', '</foreignObject>'],
  ['<!--', '<!--', '-->', '-->', '--!>', '!>', '-', '>', '/>', '/', '=', ' ="', ' a="', ' b==', ' c=d', ' e=f/>', '<?', '"', "'", ' x', '</'],
  ['<script>', '</script>', '<SCRIPT type=json>', '</script\v>', '<style>', '</style>', '<svg\v>', '<![CDATA[', ']]>'],
  ['<noscript>', '</noscript>', '<iframe>', '</iframe>', '<pre>', '<textarea>', '</textarea>', '<xmp>', '</xmp>', 'text'],
  ['<table>', '<td>', '</table>', '<math>', '<mi>', '</math>', '<select>', '</select>', '<template>', '</template>', '\n'],
  ['<head>', '</head>', '<body>', '</body>', '<plaintext>', '<image>', 'data-latex=', ' '],
].flat(); // prettier-ignore

type Node = DefaultTreeAdapterMap['node'];

/** The tree without comments, white space (a comment in a table moves it), and what is in scripts, styles and drawings. */
function outline(root: Node): string {
  const parts: string[] = [];
  const open: (Node | string)[] = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (typeof node === 'string') parts.push(node);
    else if ('value' in node) parts.push(node.value.replaceAll(/\s/g, ''));
    else if (node.nodeName !== '#comment') {
      parts.push(`<${node.nodeName} ${'attrs' in node ? JSON.stringify(node.attrs) : ''}>`);
      open.push('</>');
      if (/^(?:script|style|svg)$/.test(node.nodeName)) continue;
      if ('content' in node) open.push(node.content);
      if ('childNodes' in node) open.push(...node.childNodes.toReversed());
    }
  }
  return parts.join('');
}

describe('UnreadText', () => {
  for (const [name, page, rest] of CASES) {
    test(name, () => assert.equal(parse(page), rest));
  }

  test('reports style sheets for screens, but not those for readers without scripts', () => {
    const sheets: string[] = [];
    const page =
      '<style>a{}</style><style media="Screen">b{}</style><style media="print">c{}</style>' +
      '<noscript><style>d{}</style></noscript><style media="">e{}</style><svg><style>f{}</style></svg>';
    parse(page, (css) => sheets.push(css));
    assert.deepEqual(sheets, ['a{}', 'b{}', 'e{}']);
  });

  test('the tree equals the one of the whole page but for what is skipped', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 14, size: 'max' }), (pieces) => {
        const html = pieces.join('');
        const parser = new RunParser<DefaultTreeAdapterMap>(OPTIONS, new UnreadText());
        assert.equal(outline(parser.run(html)), outline(parseWhole(html, OPTIONS)));
      }),
      { numRuns: 5000 },
    );
  });
});
