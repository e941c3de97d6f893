import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { elideUnread } from './elide-unread.ts';

/** Name, page, result. */
const CASES: readonly (readonly [string, string, string])[] = [
  ['a script', '<p>a<script>if (a < b) "</p>"</script>b', '<p>a<script></script>b'],
  ['a script tag in capitals', '<SCRIPT>x</Script >b', '<SCRIPT></Script >b'],
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
  ['a drawing', '<svg class="x"><path d="M0"/><title>t</title></svg>b', '<svg class="x"></svg>b'],
  ['a drawing in a drawing', '<svg><svg><g></g></svg><g></g></svg>b', '<svg></svg>b'],
  ['HTML in a drawing stays', '<svg><div>a</div></svg>b', '<svg><div>a</div></svg>b'],
  ['an unclosed drawing stays', '<svg><path>b', '<svg><path>b'],
  ['a tag in a value', '<a title="<script>">b</a><script>x</script>', '<a title="<script>">b</a><script></script>'],
  ['a quote that opens no value', `<a b">c<script>x</script>d`, `<a b">c<script></script>d`],
  ['an unclosed script stays', 'a<script>b', 'a<script>b'],
  ['an unclosed comment stays', 'a<!--b', 'a<!--b'],
  ['a comment in a script stays', '<script><!-- x --></script>', '<script><!-- x --></script>'],
  ['text that looks like a script', '<textarea><script>a</textarea>b', '<textarea><script>a</textarea>b'],
  ['a comment in text', '<title><!-- a</title>b<!-- c -->', '<title><!-- a</title>b'],
  ['a self-closing frame without an end tag', 'a<iframe src=b />c', 'a<iframe src=b /></iframe>c'],
  [
    'self-closing frames before a closed one',
    '<iframe />a<iframe>b</iframe>',
    '<iframe /></iframe>a<iframe>b</iframe>',
  ],
  ['a frame that only looks self-closing stays', '<iframe />a</iframe>b', '<iframe />a</iframe>b'],
  ['less-than signs that open no tag', 'a < b <3 </> <', 'a < b <3 </> <'],
];

describe('elideUnread', () => {
  for (const [name, page, rest] of CASES) {
    test(name, () => assert.equal(elideUnread(page), rest));
  }

  test('unclosed markup takes linear time', () => {
    for (const part of [
      '<',
      '<!--',
      '<!-- -',
      '<svg>',
      '<script>',
      '<a b="',
      '</',
      '<style></',
      '<svg><path>',
      '<!---->',
    ]) {
      const page = part.repeat(200_000);
      assert.ok(elideUnread(page).length <= page.length);
    }
  });
});
