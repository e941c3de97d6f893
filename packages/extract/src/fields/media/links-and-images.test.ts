import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPageFields } from '../read-fields.test-helper.ts';

test('links: absolute, in page order, without repeats, with text, rel and internal', () => {
  const { links } = readPageFields(`
    <a href="/a">First <b>one</b></a>
    <a href="https://other.test/x" rel="nofollow noopener">Other</a>
    <a href="/a#top">A place there</a>
    <a href="#here">A place here</a>
    <a href="mailto:a@b.test">Mail</a><a href="javascript:void(0)">Script</a><a>None</a>
    <a href="https://shop.example.com/">Shop</a>
    <a href="/a">Again</a>`);
  assert.deepEqual(
    links.map(({ url, text, rel, internal }) => [url, text, rel, internal]),
    [
      ['https://www.example.com/a', 'First one', null, true],
      ['https://other.test/x', 'Other', 'nofollow noopener', false],
      ['https://www.example.com/a#top', 'A place there', null, true],
      ['https://shop.example.com/', 'Shop', null, true],
    ],
  );
});

test('links: an image gives its alternative text, and a later link completes an empty text', () => {
  const { links } = readPageFields(
    '<a href="/a"><img alt="Logo" src="l.png"></a><a href="/b"><i></i></a><a href="/b">Text</a>',
  );
  assert.deepEqual(links.map(({ text }) => text), ['Logo', 'Text']); // prettier-ignore
});

/** Case, content of a link, expected text. */
const LINK_TEXTS: readonly (readonly [string, string, string])[] = [
  ['words in separate elements', '<span>News</span><span>Big story</span>', 'News Big story'],
  ['a number and a word', '<span>12</span><span>May</span>', '12 May'],
  ['a word and a number', '<b>coffee</b><i>3</i>', 'coffee 3'],
  ['a word that continues in another element', 'un<b>believ</b>able', 'unbelievable'],
  ['an initial', '<span>T</span>he tide', 'The tide'],
  ['an exponent', '10 m<sup>2</sup>', '10 m2'],
  ['names in code', '<code><span>get</span><span>Element</span></code>', 'getElement'],
  ['an invisible element', '<span style="display:none">Secret</span>Shown', 'Shown'],
  ['a hidden element', 'Shown<span hidden> secret</span>', 'Shown'],
  ['nothing visible', '<span hidden>Secret</span><img alt="Logo" src="l.png">', 'Logo'],
]; // prettier-ignore

for (const [name, content, expected] of LINK_TEXTS) {
  test(`links: the text of ${name}`, () => {
    assert.equal(readPageFields(`<a href="/a">${content}</a>`).links[0]?.text, expected);
  });
}

test('links: text gains no spaces if code surrounds the link', () => {
  const { links } = readPageFields('<pre><code><a href="/a"><span>get</span><span>Element</span></a></code></pre>');
  assert.equal(links[0]?.text, 'getElement');
});

test('links: the base element is applied', () => {
  const { links } = readPageFields('<base href="https://cdn.test/lib/"><a href="x">x</a>');
  assert.deepEqual(links.map(({ url }) => url), ['https://cdn.test/lib/x']); // prettier-ignore
});

/** Case, markup, expected addresses. */
const IMAGES: readonly (readonly [string, string, readonly string[]])[] = [
  ['a plain image', '<img src="a.jpg">', ['a.jpg']],
  ['the largest of a srcset', '<img src="s.jpg" srcset="s.jpg 300w, l.jpg 1200w">', ['l.jpg']],
  ['a lazy source', '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" data-src="real.jpg">', ['real.jpg']],
  ['a placeholder file', '<img src="/img/placeholder.gif" data-lazy-src="real.jpg">', ['real.jpg']],
  ['a lazy source of several widths', '<img src="blank.gif" data-src="p_{width}x.jpg" data-widths="[180, 1080, 540]"><img src="q.jpg" data-src="q_%7Bwidth%7Dx.jpg">', ['p_1080x.jpg', 'q.jpg']],
  ['a lazy srcset', '<img src="blank.gif" data-srcset="s.jpg 300w, l.jpg 900w">', ['l.jpg']],
  ['source attributes of optimiser plug-ins', '<img nitro-lazy-src="a.jpg" src="data:image/svg+xml;base64,AA"><img data-wpfc-original-src="b.jpg" src="blank.gif"><img data-lzl-src="c.jpg" src="blank.gif">', ['a.jpg', 'b.jpg', 'c.jpg']],
  ['srcset attributes of optimiser plug-ins', '<img nitro-lazy-srcset="s.jpg 300w, a.jpg 900w" src="data:,"><img data-wpfc-original-srcset="b.jpg 2x" src="data:,"><img data-lzl-srcset="c.jpg 2x" src="data:,">', ['a.jpg', 'b.jpg', 'c.jpg']],
  ['a picture element', '<picture><source srcset="l.webp 1200w, m.webp 600w"><img src="s.jpg"></picture>', ['l.webp']],
  ['a noscript copy', '<img class="lazy" src="data:,"><noscript><img src="real.jpg" alt="Real"></noscript>', ['real.jpg']],
  ['a repeated noscript copy', '<img data-src="real.jpg"><noscript><img src="real-small.jpg"></noscript>', ['real.jpg']],
  ['placeholder files with other names', '<img src="/x/lazy-placeholder-300x200.gif" data-src="a.jpg"><img src="/x/grey.gif" data-src="b.jpg"><img src="/x/loading-spinner.gif"><img src="/x/transparent_1x1.gif"><img src="/x/transparent-pixel._V192234675_.gif"><img src="/x/placeholder.60f9b1840c.svg?v=1">', ['a.jpg', 'b.jpg']],
  ['backgrounds of elements that are images', `<div role="img" aria-label="A boat" style="height:3em;background: #fff url('boat.jpg') no-repeat"> </div><span role=img style="background-image:url(net.png)"></span><div style="background-image:url(stripes.png)"></div><div role="img" style="background-image:url(data:image/png;base64,AA==)"></div><div role="img" style="background-image:url(crowd.jpg)"><p>Not empty</p></div>`, ['boat.jpg', 'net.png']],
  ['placeholder words in the names of real images', '<img src="pixel-art.gif" alt="Pixel art" width="400" height="300"><img src="gray-wolf.svg"><img src="empty-beach.svg"><img src="loading-dock.gif">', ['pixel-art.gif', 'gray-wolf.svg', 'empty-beach.svg', 'loading-dock.gif']],
  ['the largest of a srcset with placeholder words in its names', '<img src="google-pixel-8-small.jpg" srcset="google-pixel-8-small.jpg 300w, google-pixel-8.jpg 1200w">', ['google-pixel-8.jpg']],
  ['an AMP image', '<amp-img src="s.jpg" srcset="l.jpg 2x" alt="Pier" width="800" height="600"></amp-img><amp-anim src="a.gif"></amp-anim><amp-ad src="ad.jpg"></amp-ad>', ['l.jpg', 'a.gif']],
  ['a noscript copy inside an AMP image', '<amp-img src="a.jpg"><noscript><img src="a-small.jpg"></noscript></amp-img>', ['a.jpg']],
  ['a tracking pixel', '<img src="t.png" width="1" height="1"><img src="a.jpg">', ['a.jpg']],
  ['a placeholder line', '<img src="s.gif" width="40" height="1"><img src="a.jpg" width="40" height="3">', ['a.jpg']],
  ['a ratio instead of a size', '<img src="a.jpg" width="3" height="2">', ['a.jpg']],
  ['only inline data', '<img src="data:image/png;base64,AAAA">', []],
  ['repeats', '<img src="a.jpg"><img src="a.jpg">', ['a.jpg']],
  ['JSON in a script attribute', `<img src="a.jpg" data-image='{"x":1}'>`, ['a.jpg']],
]; // prettier-ignore

for (const [name, html, expected] of IMAGES) {
  test(`images: ${name}`, () => {
    const { images } = readPageFields(html, 'https://www.example.com/p/x');
    assert.deepEqual(
      images.map(({ url }) => url),
      expected.map((file) => `https://www.example.com/p/${file}`),
    );
  });
}

test('images: alternative text and size come from the page', () => {
  const { images } = readPageFields(
    '<img src="a.jpg" alt=" A \n cat " width="640" height="480px"><img src="b.jpg" width="100%"><img src="c.jpg" alt="">',
  );
  assert.deepEqual(
    images.map(({ alt, width, height }) => [alt, width, height]),
    [
      ['A cat', 640, 480],
      [null, null, null],
      ['', null, null],
    ],
  );
});
