import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterScriptsStyles } from './filter-scripts-styles.ts';

const cases: readonly (readonly [name: string, html: string, expected: string])[] = [
  [
    'scripts and styles anywhere',
    '<head><script src=a></script><style>b{}</style></head><p>x<script>1</script>y',
    '<head></head><p>xy',
  ],
  [
    'scripts in SVG and templates',
    '<svg><style>a</style><script>1</script></svg><template><style>b</style>t</template>',
    '<svg></svg><template>t</template>',
  ],
  ['an unclosed script with the rest of the document', '<p>kept</p><script>while(1)', '<p>kept</p>'],
  ['an unclosed style with the rest of the document', '<p>kept</p><style>p{', '<p>kept</p>'],
  [
    'a script in a table, which the parser moves',
    '<table><script>1</script><tr><td>x</table>',
    '<table><tr><td>x</table>',
  ],
  [
    'links that fetch scripts or style sheets',
    '<link rel="stylesheet" href=a><link rel="alternate STYLESHEET" href=b><link rel=modulepreload href=c><link rel=preload as=script href=d><link rel=preload as=style href=e>',
    '',
  ],
  [
    'no other link',
    '<link rel=canonical href=a><link rel=preload as=font href=b><link rel=icon href=c>',
    '<link rel=canonical href=a><link rel=preload as=font href=b><link rel=icon href=c>',
  ],
  [
    'the content of noscript, but not noscript itself',
    '<noscript><style>a</style><p>x</p></noscript><p>y</p>',
    '<noscript><p>x</p></noscript><p>y</p>',
  ],
  [
    'an unclosed style in noscript up to its end',
    '<noscript><p>x</p><style>a</noscript><p>y</p>',
    '<noscript><p>x</p></noscript><p>y</p>',
  ],
  [
    'the content of frame documents, also nested ones',
    '<iframe title=t srcdoc="<style>a</style><p>x &amp;amp; y</p><iframe srcdoc=&quot;<script>1</script>z&quot;></iframe>"></iframe>',
    '<iframe title=t srcdoc="&lt;p&gt;x &amp;amp; y&lt;/p&gt;&lt;iframe srcdoc=&quot;z&quot;&gt;&lt;/iframe&gt;"></iframe>',
  ],
  [
    'nothing from a frame without scripts and styles',
    "<iframe srcdoc='<p>x &amp;amp; y</p>'></iframe>",
    "<iframe srcdoc='<p>x &amp;amp; y</p>'></iframe>",
  ],
  [
    'no handlers or style attributes',
    '<p onclick="f()" style="color:red">x</p>',
    '<p onclick="f()" style="color:red">x</p>',
  ],
  [
    'no text that only looks like a script',
    '<!-- <script>1</script> --><textarea><script>2</script></textarea><p title="<script>">x</p>',
    '<!-- <script>1</script> --><textarea><script>2</script></textarea><p title="<script>">x</p>',
  ],
  ['tags formed by a removal', '<<script></script>script>alert(1)</script>', ''],
];

for (const [name, html, expected] of cases) {
  test(`removes ${name}`, () => assert.equal(filterScriptsStyles(html), expected));
}

test('the rest is kept byte for byte', () => {
  const odd = "<P CLASS=a  title='b'>&nbsp;&amp;<br/>\r\n<b><i>x</b></i>\u00e9<unknown-tag>";
  assert.equal(filterScriptsStyles(`${odd}<script>1</script>`), odd);
});

test('filtering ends although each removal forms another tag', () => {
  let html = 'alert(1)';
  for (let depth = 0; depth < 12; depth++) html = `<<script></script>script>${html}</script>`;
  assert.doesNotMatch(filterScriptsStyles(html), /<script/);
});

test('nested frames are filtered to any depth', () => {
  let html = '<script>alert(1)</script>';
  for (let depth = 0; depth < 12; depth++)
    html = `<iframe srcdoc="${html.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></iframe>`;
  assert.doesNotMatch(filterScriptsStyles(html), /script/);
});

test('a very deeply nested page is filtered', () => {
  const html = `${'<div>'.repeat(100_000)}<script>1</script>end`;
  assert.equal(filterScriptsStyles(html).endsWith('<div>end'), true);
});

// Checks: threat-expensive-page
test('a page of unclosed formatting elements is filtered', () => {
  const formats = Array.from({ length: 8_000 }, (_, index) => `<font size=${index}>x<p>`).join('');
  assert.equal(filterScriptsStyles(`${formats}<script>1</script>`), formats);
});

test('unclosed nested documents are parsed a limited number of times and then removed', () => {
  const filtered = filterScriptsStyles(`<p>kept${'<noscript><p>x'.repeat(2_000)}<script>1</script>`);
  assert.match(filtered, /<p>kept<noscript>/);
  assert.doesNotMatch(filtered, /script>1/);
});
