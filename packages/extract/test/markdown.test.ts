import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { extract } from '../src/index.ts';
import { parseTree } from '../src/tree/parse/parse-tree.ts';
import { getTextContent } from '../src/tree/tree.ts';
import { renderPage } from './render-page.ts';

const FIXTURES = join(import.meta.dirname, 'markdown');
const PAGES = join(import.meta.dirname, 'languages');
const fixtures = listNames(FIXTURES);

test('there are at least 60 Markdown fixtures', () => assert.ok(fixtures.length >= 60, `${fixtures.length} fixtures`));

for (const name of fixtures) {
  const html = readFileSync(join(FIXTURES, `${name}.html`), 'utf8');

  test(`markdown/${name}.html gives its expected Markdown`, () => {
    assert.equal(`${renderPage(html).markdown}\n`, readFileSync(join(FIXTURES, `${name}.md`), 'utf8'));
  });

  test(`the Markdown of markdown/${name}.html has the words of the text`, () => {
    const { markdown, mainText } = renderPage(html);
    // Renderers move footnotes to the end.
    if (name.startsWith('footnotes'))
      assert.deepEqual(listWords(readMarkdown(markdown)).toSorted(), listWords(mainText).toSorted());
    else assertWords(name.startsWith('posts') ? removePostHeads(markdown) : markdown, mainText);
    // Addresses are read the same without GitHub's extensions.
    if (/^(?:address|email)-/.test(name)) assert.deepEqual(listWords(readMarkdown(markdown, [])), listWords(mainText));
  });
}

for (const name of listNames(PAGES)) {
  test(`the Markdown of languages/${name}.html has the words of the main text`, () => {
    const { url }: { url: string } = JSON.parse(readFileSync(join(PAGES, `${name}.json`), 'utf8'));
    const html = readFileSync(join(PAGES, `${name}.html`), 'utf8');
    const { markdown, mainText } = extract(html, { url, formats: ['markdown'] });
    assertWords(name.endsWith('forum') ? removePostHeads(markdown!) : markdown!, mainText);
  });
}

function listNames(folder: string): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.html'))
    .map((file) => file.slice(0, -'.html'.length));
}

/** Removes the line with author and date of each post, which the text does not have. */
function removePostHeads(markdown: string): string {
  return markdown.replace(/(^|\n---\n\n)(?:\*\*[^\n]+\*\*(?:, [\d-]{10})?|[\d-]{10})\n\n/g, '$1');
}

/** Asserts that the rendered Markdown has the words of the text in the same order. */
function assertWords(markdown: string, mainText: string): void {
  assert.deepEqual(listWords(readMarkdown(markdown)), listWords(mainText), markdown);
}

/** Returns the text of GitHub Markdown, rendered. */
function readMarkdown(markdown: string, extensions = [gfm()]): string {
  const html = micromark(markdown, { extensions, htmlExtensions: [gfmHtml()] });
  // The renderer adds a heading and back links to footnotes, and numbers the calls.
  const written = html
    .replace(/<h2 [^>]*sr-only[^>]*>.*?<\/h2>/, '')
    .replace(/<a [^>]*data-footnote-backref.*?<\/a>/g, '')
    .replace(/<sup><a href="#user-content-fn-(\w+)".*?<\/a><\/sup>/g, ' $1 ');
  // Blocks, cells and line breaks separate words.
  const parted = written.replace(/<\/?(?:blockquote|h[1-6]|li|p|pre|t[dhr])\b[^>]*>|<br \/>/g, ' $&');
  const tree = parseTree(parted);
  return getTextContent(tree, 0);
}

function listWords(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}
