import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compileTemplate } from '../selectors/compile-template.ts';
import { extractWithTemplate, tryTemplate } from '../application/extract-with-template.ts';
import type { Selector } from '../format/template.ts';
import { induceTemplate, isDoubtful } from './induce-template.ts';
import { learnTemplate } from './learn-template.ts';
import type { InductionPage } from './sample-page.ts';
import { rateName } from './stable-name.ts';

const TOPICS = ['wool', 'copper', 'honey', 'timber', 'salt', 'linen', 'slate', 'amber'];
const WRITERS = ['Nadia Petrov', 'Olu Adeyemi', 'Greta Holm', 'Piet de Vries'];

interface Story extends InductionPage {
  readonly title: string;
  readonly author: string;
  readonly day: string;
  readonly paragraphs: readonly string[];
}

/** A page of an invented shop magazine; its build tool appends `hash` to class names. */
function makeStory(index: number, hash = 'x7Kq2'): Story {
  const topic = TOPICS[index % TOPICS.length];
  const title = `How ${topic} is traded in year ${1900 + index}`;
  const author = WRITERS[index % WRITERS.length];
  const day = `2024-0${(index % 8) + 1}-2${index % 9}`;
  const paragraphs = [1, 2, 3, 4].map(
    (part) =>
      `${part === 1 ? 'The trade in' : 'A merchant of'} ${topic}, chapter ${part} of ${index + 3}, was known along the whole coast, and those who bought ${TOPICS[(index + part) % 8]} from the same house paid their bills in autumn when the ships came back with ${TOPICS[(index * 3 + part) % 8]} and news.`,
  );
  const html = `<!doctype html><html lang="en-GB"><head><title>${title} – Trade Weekly</title>
<script type="application/ld+json">{"@type":"Article","headline":"${title}","author":{"@type":"Person","name":"${author}"},"datePublished":"${day}"}</script></head>
<body><div class="sc-${hash} top"><nav><a href="/">Home</a><a href="/shop">Shop</a></nav></div>
<div class="css-${hash}"><div id="story-content" class="css-1${hash} post-${10_000 + index}"><h1 class="css-2${hash}">${title}</h1>
<p class="writer">By ${author}</p>${paragraphs.map((text) => `<p>${text}</p>`).join('')}
<div class="offers"><ul>${[1, 2, 3].map((step) => `<li><a href="/o/${index}-${step}">${TOPICS[(index + step) % 8]} offer no ${index}${step}</a></li>`).join('')}</ul></div></div></div>
<footer><p>Trade Weekly is printed on paper that was made from rags, as it always was and always will be.</p></footer></body></html>`;
  return { html, url: `https://trade.example/stories/how-${topic}-is-traded-${index}`, title, author, day, paragraphs };
}

describe('induction', () => {
  const pages = [0, 1, 2, 3].map((index) => makeStory(index));
  const induction = induceTemplate(pages);
  assert.ok(induction.ok);
  const { template } = induction;

  test('the same pages give the same template', () => {
    assert.deepEqual(induceTemplate([0, 1, 2, 3].map((index) => makeStory(index))), induction);
  });

  test('selectors use names chosen by people, not by build tools', () => {
    const selectors: Selector[] = [
      ...Object.values(template.fields).flatMap((rule) => rule?.selectors ?? []),
      ...(template.content?.include ?? []),
      ...(template.content?.exclude ?? []),
    ];
    for (const { css } of selectors) assert.doesNotMatch(css ?? '', /x7Kq2|post-\d/);
    assert.equal(template.content?.include[0]?.css, 'div#story-content');
    assert.ok(template.content?.exclude.some(({ css }) => css?.includes('offers')));
  });

  test('the template reads unseen pages after a rebuild renamed some classes', () => {
    const compiled = compileTemplate(template);
    for (const index of [5, 6, 7]) {
      const story = makeStory(index, 'Zp31w');
      const { extraction, faults } = extractWithTemplate(story.html, compiled, { url: story.url });
      assert.deepEqual(faults, []);
      assert.equal(extraction.title, story.title);
      assert.equal(extraction.author, story.author);
      assert.equal(extraction.publishTime, story.day);
      assert.equal(extraction.language, 'en-GB');
      for (const text of story.paragraphs) assert.ok(extraction.mainText.includes(text));
      assert.doesNotMatch(extraction.mainText, /offer no|printed on paper/);
    }
  });

  test('a page of another kind violates an invariant and gets the generic extraction', () => {
    const compiled = compileTemplate(template);
    const html = `<!doctype html><title>About</title><main><h1>About us</h1><p>${'We write about trade. '.repeat(30)}</p></main>`;
    const { extraction, faults } = extractWithTemplate(html, compiled, { url: 'https://trade.example/about' });
    assert.match(faults.join('; '), /required field main_text/);
    assert.match(extraction.mainText, /We write about trade/);
  });

  test('induction needs several pages with addresses', () => {
    assert.equal(induceTemplate(pages.slice(0, 1)).ok, false);
    assert.equal(induceTemplate([{ html: '', url: 'x' }, ...pages]).ok, false);
  });
});

/** A list of the shop's products, each with a note. */
function makeList(index: number): InductionPage {
  const topic = TOPICS[index % TOPICS.length];
  const tiles = Array.from(
    { length: 9 + index },
    (_, place) =>
      `<div class="tile"><a href="/product/${index}-${place}"><span class="name">Bale of ${TOPICS[(index * 3 + place) % 8]} no ${index}${place}</span></a><div class="price">$${index * 7 + place + 10}.00</div></div>`,
  );
  const html = `<!doctype html><html lang="en"><head><title>${topic} – Trade Shop</title></head>
<body><header><a href="/">Shop</a></header><main><h1>${topic}</h1><div class="tiles">${tiles.join('')}</div></main></body></html>`;
  return { html, url: `https://trade.example/shop/${topic}` };
}

/** A product of the shop, with a customer's review. */
function makeProduct(index: number): InductionPage {
  const topic = TOPICS[index % TOPICS.length];
  const author = WRITERS[index % WRITERS.length];
  const day = `2024-0${index + 1}-1${index}`;
  const linked = {
    '@type': 'Product',
    name: `Bale of ${topic}`,
    review: [{ '@type': 'Review', author: { '@type': 'Person', name: author }, datePublished: day }],
  };
  const html = `<!doctype html><html lang="en"><head><title>Bale of ${topic} – Trade Shop</title><meta property="og:type" content="product">
<script type="application/ld+json">${JSON.stringify(linked)}</script></head>
<body><main><h1>Bale of ${topic}</h1><p class="harvested">${day}</p><div class="about"><p>This bale of ${topic} is packed by hand in the port of ${TOPICS[(index + 1) % 8]} and weighs ${index + 20} pounds. It comes with a label and a certificate of its origin, number ${index}${index}.</p>
<p>Keep it dry; ${topic} does not like water, nor do those who carry it over the hills.</p></div><button>Add to cart</button>
<div class="customer"><b class="customer-name">${author}</b><p>Came in time, ${topic} was as described.</p></div></main></body></html>`;
  return { html, url: `https://trade.example/product/bale-of-${topic}` };
}

/** Learns from three edited pages and reads a fourth; `mainText` is the template's own. */
function learn(edit: (html: string, story: Story, index: number) => string) {
  const stories = [0, 1, 2, 5].map((index) => {
    const story = makeStory(index);
    return { ...story, html: edit(story.html, story, index) };
  });
  const induction = induceTemplate(stories.slice(0, 3));
  assert.ok(induction.ok);
  const last = stories[3];
  const { extraction, found, selectors, faults } = extractWithTemplate(last.html, compileTemplate(induction.template), {
    url: last.url,
  });
  assert.deepEqual(faults, []);
  return { extraction: { ...extraction, mainText: found['main_text'] ?? '' }, selectors, story: last };
}

describe('induction corrects the generic extraction of one page', () => {
  test('content in a wrapper that scripts reveal', () => {
    const { extraction, story } = learn((html) =>
      html
        .replace('<div id="story-content"', '<div hidden id="S:0"><div id="story-content"')
        .replace('</div></div></div>', '</div></div></div></div>'),
    );
    for (const text of story.paragraphs) assert.ok(extraction.mainText.includes(text));
  });

  test('content in elements with names that CSS must escape', () => {
    const { extraction, story } = learn((html, { paragraphs }) =>
      paragraphs.reduce(
        (edited, text) => edited.replace(`<p>${text}</p>`, `<o:p><div="text"><p>${text}</p></div="text"></o:p>`),
        html,
      ),
    );
    for (const text of story.paragraphs) assert.ok(extraction.mainText.includes(text));
  });

  test('a date under the title, if the structured data always has the same date', () => {
    const { extraction, story } = learn((html, { day }) =>
      html
        .replace(`"datePublished":"${day}"`, '"datePublished":"2019-01-02"')
        .replace('</h1>', `</h1><p class="when">${day}</p>`),
    );
    assert.equal(extraction.publishTime, story.day);
  });

  test('a date found only in structured data in a meta element', () => {
    const { extraction, story } = learn((html, { day }) =>
      html
        .replace(/<script[^]*?<\/script>/, '')
        .replace(
          '</head>',
          `<meta name="script:ld+json" content="{&quot;@type&quot;:&quot;BlogPosting&quot;,&quot;datePublished&quot;:&quot;${day}&quot;}"></head>`,
        ),
    );
    assert.equal(extraction.publishTime, story.day);
  });

  test('an author in a line below the text', () => {
    const { extraction, story } = learn((html, { author, day }) =>
      html
        .replace(/<script[^]*?<\/script>/, '')
        .replace(`<p class="writer">By ${author}</p>`, '')
        .replace('<div class="offers">', `<span class="posted">Posted by ${author} at ${day} 11:15 AM</span>$&`),
    );
    assert.equal(extraction.author, story.author);
  });

  test('a heading that is a link and repeats in the content', () => {
    const heading = '<h2><a href="/series">From our series on the trade of the coast</a> / June</h2>';
    const { extraction } = learn((html, { paragraphs }) => html.replace(`<p>${paragraphs[2]}`, `${heading}$&`));
    assert.doesNotMatch(extraction.mainText, /From our series/);
    const plain = heading.replace(/<\/?a[^>]*>/g, '');
    const kept = learn((html, { paragraphs }) => html.replace(`<p>${paragraphs[2]}`, `${plain}$&`));
    assert.match(kept.extraction.mainText, /From our series/);
  });

  test('words that repeat outside the content are kept inside it', () => {
    const { extraction } = learn((html, _, index) => {
      const menu = html.replace('<a href="/shop">', '<p><a href="/services">Services</a></p><a href="/shop">');
      return index === 5
        ? menu.replace(
            '<div class="offers">',
            '<h3>Services</h3><p>A clerk wrote the letters for those who could not write.</p><div class="offers">',
          )
        : menu;
    });
    assert.match(extraction.mainText, /Services/);
  });
});

describe('induction keeps partly repeated content', () => {
  /** Returns the extraction of a story with a part after its first paragraph, or after paragraph `place`. */
  function readWith(makePart: (index: number) => string, place = 1): string {
    const { extraction, story } = learn((html, { paragraphs }, index) =>
      html.replace(place < 4 ? `<p>${paragraphs[place]}` : '<div class="offers">', `${makePart(index)}$&`),
    );
    for (const text of story.paragraphs) assert.ok(extraction.mainText.includes(text));
    assert.doesNotMatch(extraction.mainText, /offer no/);
    return extraction.mainText.replace(/\s+/g, ' ');
  }

  test('a list with some items that are on every page', () => {
    const text = readWith(
      (index) =>
        `<h2>Ingredients</h2><ul class="ingredients"><li>250 g flour</li><li>${index + 1} eggs</li><li>a pinch of salt</li><li>${index}0 g ${TOPICS[index]}</li></ul>`,
    );
    assert.match(text, /Ingredients 250 g flour 6 eggs a pinch of salt 50 g linen/);
  });

  test('tables and definitions that only differ in their numbers, between paragraphs', () => {
    const rows = [
      ['Weight of the bale', (index: number) => `${index + 3} kg`],
      ['Highest price', (index: number) => `${index * 17 + 30} pounds`],
      ['Colour', () => 'black'],
    ] as const;
    const table = (index: number): string =>
      `<table class="spec">${rows.map(([name, value]) => `<tr><th>${name}</th><td>${value(index)}</td></tr>`).join('')}</table>`;
    const list = (index: number): string =>
      `<dl class="spec">${rows.map(([name, value]) => `<dt>${name}</dt><dd>${value(index)}</dd>`).join('')}</dl>`;
    const whole = /Weight of the bale 8 kg Highest price 115 pounds Colour black/;
    assert.match(readWith(table), whole);
    assert.match(readWith(table, 3), whole);
    assert.match(readWith(list), whole);
  });

  test('a grid that only differs in names and prices', () => {
    const pages = [0, 1, 2, 5].map((index) => makeList(index));
    const learned = induceTemplate(pages.slice(0, 3));
    assert.ok(learned.ok);
    const { html, url } = pages[3];
    const { found } = extractWithTemplate(html, compileTemplate(learned.template), { url });
    assert.match(
      (found['main_text'] ?? '').replace(/\s+/g, ' '),
      /^Bale of amber no 50 \$45\.00 Bale of wool no 51 \$46\.00/,
    );
  });

  test('the questions of an interview, and paragraphs with the same opening', () => {
    const question = 'Which of your books do you give to friends?';
    assert.ok(readWith(() => `<p><b>${question}</b></p>`).includes(question));
    const opening =
      'In the past week the office of the harbour master has received the following reports from the crews of the ships at the quay';
    const text = readWith(
      (index) => `<p>${opening}: ${TOPICS[index]} for ${index} towns.</p><p>${index + 2} people</p>`,
    );
    assert.ok(text.includes(`${opening}: linen for 5 towns. 7 people`));
  });

  test('but not a box with the same texts on every page, nor a note below the content of every page', () => {
    const letter =
      '<div class="letter"><h3>Our letter</h3><p>Every Friday morning we send you the best stories of the week, chosen by our editors.</p></div>';
    assert.doesNotMatch(
      readWith(() => letter),
      /Our letter|Every Friday/,
    );
    const note =
      '<p>This story was first printed in the paper edition, which you can buy at every kiosk of the town.</p>';
    assert.doesNotMatch(
      readWith(() => note, 4),
      /first printed/,
    );
  });
});

describe('induction makes no rule from missing or constant values', () => {
  test('customers of a shop, and dates of its products', () => {
    const learned = induceTemplate([0, 1, 2].map((index) => makeProduct(index)));
    assert.ok(learned.ok);
    const { html, url } = makeProduct(5);
    const { extraction } = extractWithTemplate(html, compileTemplate(learned.template), { url });
    assert.equal(extraction.title, 'Bale of linen');
    assert.equal(extraction.author, null);
    assert.equal(extraction.publishTime, null);
  });

  const LINKED = /<script[^]*?<\/script>/;
  /** Returns the part only for story 5, which the extraction reads. */
  const later = (index: number, part: string): string => (index === 5 ? part : '');

  test('an author, a description and a date found only on later pages', () => {
    const { extraction, selectors, story } = learn((html, { author, day }, index) =>
      html
        .replace(LINKED, '')
        .replace(/<p class="writer">.*?<\/p>/, later(index, `<p class="writer" itemprop="author">By ${author}</p>`))
        .replace(
          '</head>',
          later(
            index,
            `<meta name="author" content="${author}"><meta name="description" content="On the linen trade."><meta property="article:published_time" content="${day}">`,
          ) + '</head>',
        ),
    );
    assert.equal(extraction.author, story.author);
    assert.equal(extraction.description, 'On the linen trade.');
    assert.equal(extraction.publishTime, story.day);
    assert.equal(selectors['author'], 'generic');
  });

  test('the language and the author of the first pages', () => {
    const german =
      'Der Hafen der Stadt ist seit vielen Jahren ein Ort, an dem sich die Menschen treffen und über das Wetter, die Brücke und den Markt reden, und der Rat hat beschlossen, dass er nicht geschlossen wird.';
    const { extraction } = learn((html, { paragraphs, author }, index) => {
      const other = html
        .replace(LINKED, '')
        .replace(' lang="en-GB"', '')
        .replace(`By ${author}`, '')
        .replace(
          '</head>',
          `<meta name="twitter:label1" content="Written by"><meta name="twitter:data1" content="${index === 5 ? 'Ines Carvalho' : 'Mara Lindqvist'}"></head>`,
        );
      return index === 5 ? paragraphs.reduce((text, part) => text.replace(part, german), other) : other;
    });
    assert.equal(extraction.language, 'de');
    assert.equal(extraction.author, 'Ines Carvalho');
  });

  test('an element with the author and more, if another has only the author', () => {
    const { extraction, story } = learn((html, { author, day }, index) =>
      html
        .replace(LINKED, '')
        .replace(
          /<p class="writer">.*?<\/p>/,
          `${later(index, '<p class="meta">Live now</p>')}<p class="meta">By <span class="author">${author}</span> on ${day}</p>`,
        ),
    );
    assert.equal(extraction.author, story.author);
  });

  test('an element that structured data contradicts on a later page: the generic extractor decides', () => {
    const { extraction, selectors, story } = learn((html, { author }, index) =>
      html
        .replace(LINKED, '')
        .replace(/<p class="writer">/, `${later(index, '<p class="writer">Live now</p>')}$&`)
        .replace('</head>', `${later(index, `<meta name="author" content="${author}">`)}</head>`),
    );
    assert.equal(extraction.author, story.author);
    assert.equal(selectors['author'], 'generic');
  });
});

test('the main text stays generic if the extractor is unsure and the best rule disagrees', () => {
  const generic = 'Bales of cotton are sent by ship, and paid for in autumn.';
  const judge = (mainText: string, confidence: number): boolean =>
    isDoubtful([{ found: { main_text: mainText } }], [{ generic: { mainText: generic, confidence } }]);
  const other = 'Bales of jute, salt and wool';
  assert.equal(judge(other, 0.6), true);
  assert.equal(judge(generic, 0.6), false, 'both are equal');
  assert.equal(judge(other, 0.95), false, 'a sure extractor labels pages well');
  assert.equal(judge(other, 0.1), false, 'any rule is better than an extractor that is almost certainly wrong');
});

test('learning takes the largest group of similar pages and holds some of them out', () => {
  const other = { html: '<form><table><tr><td><input></table></form>', url: 'https://trade.example/login' };
  const learned = learnTemplate([other, ...[0, 1, 2, 3, 4].map((index) => makeStory(index))]);
  assert.ok(learned.ok);
  assert.deepEqual(learned.learnedFrom, [1, 2, 3]);
  assert.deepEqual(
    learned.trials.map((trial) => [trial.page, trial.ok]),
    [
      [4, true],
      [5, true],
    ],
  );
  const few = learnTemplate([makeStory(1), makeStory(2), other]);
  assert.deepEqual(few, { ok: false, reason: 'only 2 of the 3 pages are alike' });
});

describe('a template is judged by the content that it loses', () => {
  const add = (html: string, part: string): string => html.replace('<div class="offers">', `${part}$&`);
  const judge = (pages: readonly InductionPage[], page: InductionPage) => {
    const induction = induceTemplate(pages);
    assert.ok(induction.ok);
    return tryTemplate(page.html, compileTemplate(induction.template), { url: page.url }).judgement;
  };
  /** A story whose text continues in an element that other pages lack. */
  const continued = (index: number): Story => {
    const story = makeStory(index);
    const more = makeStory(index + 1).paragraphs.map((text) => `<p>${text.replace('merchant', 'seller')}</p>`);
    return {
      ...story,
      html: story.html.replace('</div></div>\n<footer>', `</div><div>${more.join('')}</div></div>\n<footer>`),
    };
  };

  test('lost content that moved elsewhere counts even if the kept content is right', () => {
    const { ok, agreement, reason } = judge(
      [0, 1, 2].map((index) => makeStory(index)),
      continued(5),
    );
    assert.match(reason, /keeps too little of what the generic extractor, sure, keeps: 0\.\d/);
    assert.deepEqual([ok, agreement > 0.6], [false, true]);
  });

  test('content that the template never kept does not count', () => {
    const texts = ['one', 'two', 'three'].map(
      (hour) =>
        `<p>Every Friday morning at ${hour} we send you the best stories of the week, chosen by our editors in the house at the river.</p>`,
    );
    const box = `<div class="about"><h3>Our letter</h3>${texts.join('')}</div>`;
    const pages = [0, 1, 2, 5].map((index) => {
      const story = makeStory(index);
      return { ...story, html: add(story.html, box) };
    });
    const { ok, agreement } = judge(pages.slice(0, 3), pages[3]);
    assert.deepEqual([ok, agreement < 0.95], [true, true]);
  });
});

test('names are rated by how likely they are to last', () => {
  for (const name of ['article-body', 'byline', 'entry', 'postContent', 'main_text'])
    assert.equal(rateName(name), 1, name);
  for (const name of ['css-1x2y3z', 'post-18342', 'sc-bdVaJa', '_3xYz9', 'is-active', 'mt-4', 'jsx-328', 'a']) {
    assert.ok(rateName(name) <= 0.3, name);
  }
  assert.equal(rateName('a"b'), 0);
});
