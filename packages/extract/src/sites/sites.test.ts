import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { findBlocks, listBlocks } from '../content/blocks/blocks.ts';
import { extractTree as extractAlone } from '../pipeline/extract.ts';
import { renderText } from '../render/text/render-text.ts';
import { parseTree } from '../tree/parse/parse-tree.ts';
import { hashClassPaths } from './class-paths.ts';
import { extractTree } from './extract-on-site.ts';
import type { PageNotes } from './page-notes.ts';
import { gatherEvidence, type SiteEvidence } from './site-evidence.ts';

const PROMISE =
  'Every bottle we sell is packed by hand in our cellar, and if one breaks on its way to you, we send another one at once and ask no questions.';
const TOPICS = ['harvest', 'cellar', 'vintage', 'barrel', 'orchard'];

/** A story with a text in its body that each page of the site has. */
function makePage(topic: string): string {
  const story = Array.from(
    { length: 4 },
    (_, part) =>
      `<p class="text">Part ${part} of the story of the ${topic} tells how the people of the valley worked through the long
      summer, and what they learned about the ${topic} when the rain came, ${part + 2} weeks late.</p>`,
  );
  return `<title>The ${topic}</title><nav class="menu"><a href="/">Home</a> <a href="/shop">Shop</a></nav>
    <div class="story"><h1>The ${topic}</h1>${story.slice(0, 2).join('')}<div class="promise"><p>${PROMISE}</p></div>
    ${story.slice(2).join('')}</div><footer class="foot">All rights reserved</footer>`;
}

function noteAll(pages: readonly string[]): PageNotes[] {
  return pages.flatMap((page) => extractTree(parseTree(page), { takeNotes: true }).notes ?? []);
}

test('a text that the pages of a site share is left out, and nothing else', () => {
  const [page, ...others] = TOPICS.map(makePage);
  const alone = extractTree(parseTree(page));
  assert.ok(alone.mainText.includes(PROMISE));
  const siteEvidence = gatherEvidence(noteAll(others));
  const answer = extractTree(parseTree(page), { siteEvidence });
  assert.equal(answer.mainText, alone.mainText.replace(`${PROMISE}\n\n`, ''));
  assert.equal(answer.confidence, alone.confidence);
  assert.equal(answer.title, alone.title);
});

test('a shop keeps name and price, also where products cost the same', () => {
  const makeProduct = (topic: string, index: number): string => `<title>Blue ${topic} – Shop</title>
    <div class="product"><h1 class="name">Blue ${topic}</h1><span class="price">${index < 2 ? 19 : 20 + index}.00 €</span>
    <div class="description"><p>This ${topic} is made by hand of the wood of old apple trees, and lasts for more than ${index + 9} years.</p>
    <p>Wash the ${topic} with warm water, and oil it once in a year.</p></div></div><div class="delivery"><p>${PROMISE}</p></div>`;
  const pages = TOPICS.slice(0, 4).map(makeProduct);
  const notes = noteAll(pages);
  for (const [index, page] of pages.entries()) {
    const alone = extractTree(parseTree(page)).mainText.split(/\n+/);
    const siteEvidence = gatherEvidence(notes.toSpliced(index, 1));
    const answer = extractTree(parseTree(page), { siteEvidence }).mainText.split(/\n+/);
    assert.ok(answer.some((line) => line.endsWith('.00 €')));
    assert.deepEqual(
      answer,
      alone.filter((line) => line !== PROMISE),
    );
  }
});

test('share links with the class of links in the text take no word from the text', () => {
  const share = ['Share it', 'Send it', 'Print it'].map((label) => `<a class="ext" href="/${label[0]}">${label}</a>`);
  const makeStory = (topic: string): string => {
    const story = Array.from(
      { length: 4 },
      (
        _,
        part,
      ) => `<p>In part ${part} <a class="ext" href="/${topic}">the people of the ${topic}</a> tell how they worked
        through the summer, and ask everybody to <a class="ext" href="/s">share it</a> with those who came late.</p>`,
    );
    return `<title>The ${topic}</title><article><h1>The ${topic}</h1><div class="share">${share.join(' ')}</div>
      ${story.join('')}<div class="share">${share.join(' ')}</div></article>`;
  };
  const [page, ...others] = TOPICS.map(makeStory);
  const { mainText } = extractTree(parseTree(page), { siteEvidence: gatherEvidence(noteAll(others)) });
  for (let part = 0; part < 4; part++) {
    const text = `In part ${part} the people of the harvest tell how they worked through the summer, and ask everybody to share it`;
    assert.ok(mainText.includes(`${text} with those who came late.`), mainText);
  }
});

test('copies of a page under other addresses say nothing about its texts', () => {
  const page = makePage('harvest');
  const siteEvidence = gatherEvidence(noteAll([page, page, page]));
  assert.equal(extractTree(parseTree(page), { siteEvidence }).mainText, extractAlone(parseTree(page)).mainText);
});

test('without evidence and notes the answer is that of the page alone', () => {
  const page = makePage('harvest');
  assert.deepEqual(extractTree(parseTree(page)), extractAlone(parseTree(page)));
  const { notes, ...answer } = extractTree(parseTree(page), { takeNotes: true });
  assert.deepEqual(answer, extractAlone(parseTree(page)));
  assert.equal(notes?.version, 1);
  for (const options of [{ favor: 'recall' }, { hiddenText: 'keep' }] as const)
    assert.equal(extractTree(parseTree(page), { ...options, takeNotes: true }).notes, undefined);
});

test('evidence does not change the notes of a page', () => {
  const [page, ...others] = TOPICS.map(makePage);
  const siteEvidence = gatherEvidence(noteAll(others));
  const answer = extractTree(parseTree(page), { siteEvidence, takeNotes: true });
  assert.deepEqual(answer.notes, extractTree(parseTree(page), { takeNotes: true }).notes);
});

test('a page whose class paths no other page has is answered alone', () => {
  const siteEvidence = gatherEvidence(noteAll(TOPICS.map(makePage)));
  const other = makePage('harvest')
    .replaceAll(/class="(\w+)"/g, 'class="other-$1"')
    .replace(PROMISE, 'Another text, which no other page has, and which is long enough to be read as one.');
  assert.deepEqual(extractTree(parseTree(other), { siteEvidence }), extractAlone(parseTree(other)));
});

test('class paths know no order of classes and no passing names', () => {
  const first = hashOnly('<div class="post big" id="post-17"><p class="text css-1x9">One word.</p></div>');
  assert.equal(
    hashOnly('<div class="big post" id="post-18"><p class="css-7f2 text tag-wine">Other words.</p></div>'),
    first,
  );
  assert.equal(hashOnly('<body class="page-of-today"><div class="big post"><p class=text>Words.</p></div>'), first);
  assert.notEqual(hashOnly('<div class="post"><p class="text">One word.</p></div>'), first);
  assert.notEqual(hashOnly('<section class="post big"><p class="text">One word.</p></section>'), first);
  assert.notEqual(hashOnly('<div class="post big"><p>One word.</p></div>'), first);
});

function hashOnly(html: string): number {
  const tree = parseTree(html);
  const paths = hashClassPaths(tree, findBlocks(tree));
  assert.equal(paths.length, 1);
  return paths[0];
}

/** A number in letters: a name with a digit would not count. */
function writeName(number: number): string {
  return String(number).replaceAll(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)));
}

test('notes are bounded', () => {
  const items = Array.from({ length: 4_000 }, (_, k) => `<p class="${writeName(k % 900)}">Words about item ${k}.</p>`);
  const { notes } = extractTree(parseTree(items.join('')), { takeNotes: true });
  assert.ok(notes !== undefined && notes.texts.length === 1_500 && notes.paths.length === 500);
  assert.ok(JSON.stringify(notes).length < 32_000, `${JSON.stringify(notes).length} bytes`);
});

test('evidence is the mean over pages, from two pages on, and bounded', () => {
  const one: PageNotes = { version: 1, texts: [1, 2, 2], paths: [[7, 1]] };
  const other: PageNotes = {
    version: 1,
    texts: [2, 3],
    paths: [
      [7, 0.5],
      [8, 0],
    ],
  };
  assert.equal(gatherEvidence([]), undefined);
  assert.equal(gatherEvidence([one]), undefined);
  assert.deepEqual(gatherEvidence([one, other]), {
    version: 1,
    pages: 2,
    texts: [
      [2, 2],
      [1, 1],
      [3, 1],
    ],
    paths: [
      [7, 0.75],
      [8, 0],
    ],
  });
  const many = Array.from({ length: 50 }, (_, page): PageNotes => {
    const numbers = Array.from({ length: 1_000 }, (_item, k) => 1_000_000_000 + page * 1_000 + k);
    return { version: 1, texts: numbers, paths: numbers.map((path) => [path, 0.123]) };
  });
  const evidence = gatherEvidence(many);
  assert.equal(evidence?.pages, 20);
  assert.ok(JSON.stringify(evidence).length < 64_000, `${JSON.stringify(evidence).length} bytes`);
});

test('stored values of another form are no evidence', () => {
  const page = makePage('harvest');
  const expected = extractAlone(parseTree(page));
  const [notes] = noteAll([page]);
  const path = notes.paths[0][0];
  const rows = fc.array(fc.oneof(fc.anything(), fc.tuple(fc.constant(path), fc.double(), fc.double())));
  const like = fc.record({ version: fc.constant(1), pages: fc.anything(), texts: rows, paths: rows });
  fc.assert(
    fc.property(fc.oneof(fc.anything(), like), (value) => {
      const evidence = value as SiteEvidence;
      const answer = extractTree(parseTree(page), { siteEvidence: evidence });
      assert.equal(answer.confidence, expected.confidence);
      gatherEvidence([evidence, evidence] as unknown as PageNotes[]);
    }),
    { numRuns: 60 },
  );
  assert.deepEqual(extractTree(parseTree(page), { siteEvidence: { version: 2 } as never }), expected);
});

test('whatever the evidence, the answer is made of whole blocks', () => {
  const word = fc.constantFrom('tide', 'harbour', 'the', 'of', 'boats', 'and', 'returned', 'slowly', 'before', 'night');
  const sentence = fc.array(word, { minLength: 6, maxLength: 30 }).map((words) => `${words.join(' ')}.`);
  const inline = fc.tuple(sentence, fc.constantFrom('a href=/x class=ad', 'b', 'em class=promo', 'span class=note'));
  const block = fc.tuple(
    fc.constantFrom('p', 'li', 'div class=promo', 'p class=text', 'h2', 'blockquote', 'section class=more'),
    fc.array(fc.oneof(sentence, inline), { minLength: 1, maxLength: 4 }),
  );
  const page = fc.array(block, { minLength: 3, maxLength: 14 }).map((blocks) => blocks.map(writeBlock).join(''));
  fc.assert(
    fc.property(page, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (html, shares) => {
      const tree = parseTree(`<main>${html}</main>`);
      const { notes } = extractTree(tree, { takeNotes: true });
      const next = (): number => shares.next().value ?? 0;
      const siteEvidence: SiteEvidence = {
        version: 1,
        pages: 4,
        texts: notes!.texts.map((text) => [text, Math.round(4 * next())]),
        paths: notes!.paths.map(([path]) => [path, next()]),
      };
      const whole = new Set(listBlocks(findBlocks(tree)).map((one) => renderText(tree, [one])));
      const answer = extractTree(tree, { siteEvidence });
      for (const text of answer.mainText.split(/\n+/)) {
        const line = text.replace(/^[-•]\s+/, '');
        assert.ok(line === '' || whole.has(line) || whole.has(text), text);
      }
    }),
    { numRuns: 60 },
  );
});

function writeBlock([tag, parts]: [string, (string | [string, string])[]]): string {
  const inner = parts.map((part) =>
    typeof part === 'string' ? part : `<${part[1]}>${part[0]}</${part[1].split(' ')[0]}>`,
  );
  return `<${tag}>${inner.join(' ')}</${tag.split(' ')[0]}>`;
}
