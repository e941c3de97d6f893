import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeInner, writeArticlePage } from '../../../test/article-page.ts';
import { extract } from '../../pipeline/extract.ts';

const OPTIONS = { url: 'https://example.org/a/', formats: ['markdown'] } as const;

test('a gallery keeps its images and captions', () => {
  const items = ['one', 'two', 'three'].map(
    (name) =>
      `<div class="tile"><figure><img src="${name}.jpg" alt=""><figcaption>Photo ${name}</figcaption></figure></div>`,
  );
  const { markdown, mainText, images } = extract(
    writeArticlePage(`<div class="grid">${items.join('')}</div>`),
    OPTIONS,
  );
  assert.equal(takeInner(mainText), '\n\nPhoto one\n\nPhoto two\n\nPhoto three\n\n');
  assert.equal(
    takeInner(markdown!),
    ['one', 'two', 'three'].map((name) => `\n\n![](https://example.org/a/${name}.jpg)\n\nPhoto ${name}`).join('') +
      '\n\n',
  );
  assert.deepEqual(
    images.map((image) => image.in_main),
    [true, true, true],
  );
});

test('captions without <figcaption> are kept beside their image, teasers are not', () => {
  const captioned = '<div class="wp-caption"><img src=a.jpg><p class="wp-caption-text">The quay at noon</p></div>';
  assert.match(takeInner(extract(writeArticlePage(captioned), OPTIONS).markdown!)!, /\)\s+The quay at noon\s+$/);
  const teaser =
    '<figure><a href=/x><img src=a.jpg></a><figcaption><a href=/x>Read the other story</a></figcaption></figure>';
  assert.doesNotMatch(takeInner(extract(writeArticlePage(teaser), OPTIONS).markdown!)!, /other story/);
});

/** Markup between the heading and the text, and the images that belong to the text. */
const LEADS: readonly (readonly [string, string, readonly string[]])[] = [
  ['a figure before the text', '<p>By Ann Lee</p><figure><img src=a.jpg></figure>', ['a.jpg']],
  ['a wide image before the text', '<img src=a.jpg width=900 height=500>', ['a.jpg']],
  ['a figure with a caption', '<figure><img src=a.jpg><figcaption>The quay at noon, seen from the north.</figcaption></figure>', ['a.jpg']],
  ['an icon', '<img src=a.jpg width=24 height=24>', []],
  ['an image before other text', '<figure><img src=a.jpg></figure><ul class="share"><li><a href="#">Facebook</a><li><a href="#">E-mail</a></ul>', []],
  ['the picture of the author', '<div class="author"><picture><img class="hero-avatar" src=a.jpg width=80></picture></div>', []],
]; // prettier-ignore

for (const [what, html, expected] of LEADS) {
  test(`lead images: ${what}`, () => {
    const page = writeArticlePage('').replace(
      /<\/h1>([^]*)<\/article>/,
      (_, text) => `</h1>${html}<div class="body">${text}</div></article>`,
    );
    const inMain = extract(page, OPTIONS).images.filter((image) => image.in_main);
    assert.deepEqual(
      inMain.map(({ url }) => url.slice(url.lastIndexOf('/') + 1)),
      expected,
    );
  });
}

test('the original in <noscript> stands for its preview', () => {
  const preview =
    '<figure><div><img src="s/60/a.jpg" width=60 height=40><noscript><img src="s/1600/a.jpg"></noscript></div></figure>';
  const { markdown, images } = extract(writeArticlePage(preview), OPTIONS);
  assert.match(takeInner(markdown!)!, /^\s+!\[\]\(https:\/\/example\.org\/a\/s\/1600\/a\.jpg\)\s+$/);
  assert.deepEqual(
    images.map(({ url }) => url),
    ['https://example.org/a/s/1600/a.jpg'],
  );
});

/** Markup between two paragraphs, and its Markdown; none if it is left out. */
const PLAYERS: readonly (readonly [string, string, string])[] = [
  ['a video', '<div class="v"><iframe src="https://www.youtube.com/embed/x1" title="How tar is boiled"></iframe></div>', '[How tar is boiled](https://www.youtube.com/embed/x1)'],
  ['a video that loads when it is scrolled to', '<iframe src="about:blank" data-src="//player.vimeo.com/video/7"></iframe>', '<https://player.vimeo.com/video/7>'],
  ['an element that loads a video', '<lite-youtube videoid="x1" playlabel="Play: How tar is boiled"><a href="/w">Play: How tar is boiled</a></lite-youtube>', '[How tar is boiled](https://www.youtube.com/embed/x1)'],
  ['such an element of AMP', '<amp-vimeo data-videoid="7" layout="responsive"></amp-vimeo>', '<https://player.vimeo.com/video/7>'],
  ['such an element without a number', '<lite-youtube videoid="../x"></lite-youtube>', ''],
  ['a frame without a player', '<iframe src="https://ads.example.net/slot/7" title="Advertisement"></iframe>', ''],
  ['the card of a post', '<iframe src="https://blog.example.net/tar/embed/" title="Tar"></iframe>', ''],
]; // prettier-ignore

for (const [what, html, expected] of PLAYERS) {
  test(`players become links: ${what}`, () => {
    const { markdown, mainText } = extract(writeArticlePage(html), OPTIONS);
    assert.equal(takeInner(markdown!)!.trim(), expected);
    assert.equal(takeInner(mainText)!.trim(), '');
  });
}
