const PARAGRAPHS = [
  'The harbour master of the old town said on Tuesday that the new pier would open before the end of summer, after three years of work on the foundations, the walkway and the lighting.',
  'Critics point out that the budget was exceeded twice and that the opening was postponed four times, most recently because a supplier went out of business in the middle of the winter.',
];

/** A page with navigation and a footer around an article; the given HTML is between its two paragraphs. */
export function writeArticlePage(inner: string): string {
  return `<!doctype html><html lang=en><head><title>New pier to open | Harbour Gazette</title></head><body>
    <nav><ul><li><a href="/news">News</a></li><li><a href="/sport">Sport</a></li></ul></nav>
    <main><article><h1>New pier to open</h1><p>${PARAGRAPHS[0]}</p>${inner}<p>${PARAGRAPHS[1]}</p></article></main>
    <footer><p>© Harbour Gazette. <a href="/terms">Terms</a></p></footer></body></html>`;
}

/** Returns the part of a rendering between the two paragraphs; undefined if one is missing. */
export function takeInner(rendering: string): string | undefined {
  const start = rendering.indexOf(PARAGRAPHS[0]);
  const end = rendering.indexOf(PARAGRAPHS[1]);
  return start < 0 || end < 0 ? undefined : rendering.slice(start + PARAGRAPHS[0].length, end);
}
