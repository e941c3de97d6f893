import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defaultTreeAdapter, serialize, type DefaultTreeAdapterMap } from 'parse5';
import { RunParser } from './run-tokenizer.ts';
import { UnreadText } from './unread-text.ts';

function parse(page: string, readStyle?: (css: string) => void): string {
  const options = { scriptingEnabled: false, treeAdapter: defaultTreeAdapter };
  const parser = new RunParser<DefaultTreeAdapterMap>(options, new UnreadText(readStyle));
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
  ['a comment at the start of a text with its lines', '<pre><!-- x -->\na</pre>', '<pre>\na</pre>'],
  ['a line before that comment', '<pre>\n<!-- x -->\na</pre>', '<pre>\na</pre>'],
  ['a drawing', '<svg class="x"><path d="M0"/><title>t</title></svg>b', '<svg class="x"></svg>b'],
  ['a drawing in a drawing', '<svg><svg><g></g></svg><g></g></svg>b', '<svg></svg>b'],
  ['an end tag in a comment of a drawing', '<svg><!-- </svg> --><g></g></svg>b', '<svg></svg>b'],
  ['HTML in a drawing stays', '<svg><div>a</div></svg>b', '<svg></svg><div>a</div>b'],
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

  test('unclosed markup takes linear time', () => {
    const parts = ['<', '<!--', '<!-- -', '<svg>', '<script>', '<a b="', '</', '<style></', '<svg><path>', '<!---->'];
    for (const part of [...parts, '<noscript>', '<svg><p>', '<iframe/>']) parse(part.repeat(20_000));
  });
});
