import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compileTemplate, extractWithTemplate } from '@winnow/extract/templates';
import { checkTemplate } from '@winnow/contract';
import { readFtrConfig } from './read-ftr-config.ts';

/** A page with the elements that the rules refer to. */
const PAGE = `<!doctype html><html lang="en"><head><title>Rain over the hills | The Daily Hill</title>
<meta property="og:title" content="Rain over the hills | The Daily Hill"><meta name="author" content="Ann Lee">
<meta property="article:published_time" content="2024-03-05T10:00:00Z"></head><body>
<header id="top" class="site-header"><h2>The Daily Hill</h2></header>
<main><article class="post hentry"><h1 class="entry-title" itemprop="headline">Rain over the hills</h1>
<div class="byline">By <a rel="author" href="/ann">Ann Lee</a> and <a rel="author" href="/bo">Bo Ek</a> on <time datetime="2024-03-05">5 March 2024</time></div>
<div id="story" class="entry-content wide" itemprop="articleBody"><p class="lead">It has rained for weeks.</p>
<p>The river is high, and the fields are wet.</p><noscript>A picture of the river.</noscript>
<div class="ad-slot-3">Buy an umbrella now.</div><p class="more"><a href="/more">Read more about rain</a></p>
<ul id="related-links"><li><a href="/wind">Wind in the valley</a></li></ul>
<blockquote class="pullquote">High water.</blockquote></div>
<div class="entry-content second"><p>Tomorrow it will be dry.</p></div></article>
<footer class="post-footer"><p>Filed under weather.</p></footer></main></body></html>`;
const URL = 'https://daily.example.com/rain';

const LEAD = 'It has rained for weeks.';
const RIVER = 'The river is high, and the fields are wet.';
const PICTURE = 'A picture of the river.';
const AD = 'Buy an umbrella now.';
const MORE = 'Read more about rain';
const RELATED = 'Wind in the valley';
const QUOTE = 'High water.';
const DRY = 'Tomorrow it will be dry.';

interface Expected {
  readonly title?: string;
  readonly author?: string;
  readonly publishTime?: string;
  /** Paragraphs of the main text. */
  readonly text?: readonly string[];
  /** Lines reported as unused. */
  readonly ignored?: readonly number[];
}

/** Rule files and their results on the page. */
const configs: readonly (readonly [what: string, config: string, expected: Expected])[] = [
  [
    'fields by class, id and microdata',
    `title: //h1[@class='entry-title']
author: //a[@rel='author']
date: //div[@class="byline"]/time/@datetime
body: //div[@itemprop = 'articleBody']`,
    {
      title: 'Rain over the hills',
      author: 'Ann Lee, Bo Ek',
      publishTime: '2024-03-05',
      text: [LEAD, RIVER, PICTURE, AD, MORE, RELATED, QUOTE],
    },
  ],
  [
    'fields from metadata, with functions of strings',
    `title: substring-before(//meta[@property='og:title']/@content, ' | ')
author: //meta[@name="author"]/@content
date: //meta[@property="article:published_time"]/@content
body: //article//div[contains(concat(' ',normalize-space(@class),' '),' second ')]`,
    { title: 'Rain over the hills', author: 'Ann Lee', publishTime: '2024-03-05T10:00:00Z', text: [DRY] },
  ],
  [
    'the first of several rules that finds something',
    `title: //h1[@class='none']
title: //h1
date: //span[@class='none']
date: //time
body: //div[@id='none']
body: //div[@id='story'] | //div[contains(@class, 'second')]
strip: //ul | //noscript
strip: //div[starts-with(@class, 'ad-slot')]
strip: //p[@class='more']/self::p | //blockquote`,
    { title: 'Rain over the hills', publishTime: '2024-03-05', text: [LEAD, RIVER, DRY] },
  ],
  [
    'strip_id_or_class matches parts of names, quoted or not',
    `body: //article
strip: //article/h1
strip: //div[@class='byline']
strip: //noscript
strip_id_or_class: ad-slot
strip_id_or_class:   'related'
strip_id_or_class: "pullquote"
strip_id_or_class: more`,
    { text: [LEAD, RIVER, DRY] },
  ],
  [
    'positions, brackets, axes and negation',
    `body: (//main/article)[1]/div[not(contains(@class, 'byline'))][1]
strip: //*[@id='story']/p[last()]
strip: //p[@class='lead']/following-sibling::div
strip: //li/ancestor::ul
strip: //blockquote[string-length(.) < 20]
strip: //noscript[preceding-sibling::p]`,
    { text: [LEAD, RIVER] },
  ],
  [
    'id() and text()',
    `title: //h1/text()
body: id('story')
strip: //div | //ul | //noscript | //blockquote
strip: //p[a[contains(., 'more')]]`,
    { title: 'Rain over the hills', text: [LEAD, RIVER] },
  ],
  [
    'pairs of replacements in any order, and in brackets',
    `body: //div[@id='story']
find_string: <p class="lead">
find_string: <noscript>A picture of the river.</noscript>
replace_string: <h2>
replace_string:
replace_string(has rained (x)): unused
replace_string(<div class="ad-slot-3">): <div hidden>
strip: //ul | //blockquote | //p[@class='more']`,
    { text: [LEAD, RIVER] },
  ],
  [
    'comments, a byte order mark, blank lines and foreign line ends',
    `\ufeff# The Daily Hill\r\n\r\n// a note\r\nTitle : //h1\r\nbody://div[contains(@class,'second')]\r\n   prune:no\r\n`,
    { title: 'Rain over the hills', text: [DRY], ignored: [6] },
  ],
  [
    'directives for other tools are reported and ignored',
    `body: //div[contains(@class,'second')]
tidy: no
prune: no
parser: html5php
autodetect_on_failure: no
autodetect_next_page: yes
single_page_link: //a[@class='single']
single_page_link_in_feed: //a
if_page_contains: //a[@class='single']
next_page_link: //a[@rel='next']
http_header(user-agent): Mozilla/5.0 (compatible; a reader)
http_header(cookie): a=b
strip_image_src: /pixel.gif
strip_attr: //@style
native_ad_clue: //meta[@name='ad']
insert_detected_image: no
skip_json_ld: yes
requires_login: yes
login_uri: https://daily.example.com/login
login_username_field: name
login_password_field: password
login_extra_fields: a=b
not_logged_in_xpath: //a[@href='/login']
src_lazy_load_attr: data-source
wrap_in(blockquote): //p[@class='pullquote']
strip_comments: no
dissolve: //span
unknown_thing: 1
test https://daily.example.com/rain
test_contains: before any address`,
    { text: [DRY], ignored: Array.from({ length: 29 }, (_, index) => index + 2) },
  ],
];

describe('rule files of the ftr-site-config format', () => {
  for (const [what, config, expected] of configs) {
    test(what, () => {
      const { document, faults, ignored } = readFtrConfig('daily.example.com.txt', config);
      assert.deepEqual(faults, []);
      assert.deepEqual(
        ignored.map(({ line }) => line),
        expected.ignored ?? [],
      );
      const checked = checkTemplate(document ?? {});
      assert.ok(checked.ok && document);
      const { extraction, faults: broken } = extractWithTemplate(PAGE, compileTemplate(document), { url: URL });
      assert.deepEqual(broken, []);
      const { title, author, publishTime, mainText } = extraction;
      if (expected.title !== undefined) assert.equal(title, expected.title);
      if (expected.author !== undefined) assert.equal(author, expected.author);
      if (expected.publishTime !== undefined) assert.equal(publishTime, expected.publishTime);
      assert.deepEqual(mainText.split(/\n+/), expected.text);
    });
  }

  test('test_url and test_contains become checks', () => {
    const config = `body: //article
test_url: ${URL}
test_contains: The river is high
test_contains: Tomorrow
test_url: https://daily.example.com/sun`;
    assert.deepEqual(readFtrConfig('daily.example.com.txt', config).document?.checks, [
      { url: URL, contains: ['The river is high', 'Tomorrow'] },
      { url: 'https://daily.example.com/sun', contains: [] },
    ]);
  });

  test('the name of the file is the host', () => {
    const hosts = (name: string) => readFtrConfig(name, 'body: //p').document?.hosts;
    assert.deepEqual(hosts('Example.com.txt'), ['example.com', 'www.example.com']);
    assert.deepEqual(hosts('www.example.com.txt'), ['www.example.com', 'example.com']);
    assert.deepEqual(hosts('.example.com.txt'), ['.example.com']);
    assert.deepEqual(hosts('a.b.example.co.uk.txt'), ['a.b.example.co.uk', 'www.a.b.example.co.uk']);
    for (const name of ['README.md', 'LICENSE.txt', 'example com.txt', '..txt']) assert.equal(hosts(name), undefined);
  });

  const faults: readonly (readonly [config: string, line: number, reason: RegExp])[] = [
    ['body: //p\nreplace_string: x', 2, /without a find_string/],
    ['body: //p\nfind_string: a\nfind_string: b\nreplace_string: c', 3, /without a replace_string/],
    ['body: //p\nreplace_string(): x', 2, /no text to replace/],
    ['body: //p\nstrip:', 2, /strip has no value/],
    ['strip: //p\nstrip_id_or_class: ad', 0, /it has no rule for a template/],
    ['body: //p\nstrip_id_or_class: a"b', 2, /needs a name/],
    [`title: ${'x'.repeat(5_000)}`, 1, /longer than/],
    [Array.from({ length: 400 }, () => 'strip: //p').join('\n'), 0, /./],
  ];
  for (const [config, line, reason] of faults) {
    test(`a fault is named by its line: ${config.slice(0, 50).replaceAll('\n', ' / ')}`, () => {
      const reading = readFtrConfig('daily.example.com.txt', config);
      assert.equal(reading.document, undefined);
      const fault = reading.faults.find((one) => one.line === line) ?? reading.faults[0];
      assert.match(fault?.reason ?? '', reason);
    });
  }
});
