import { ID_PREFIXES } from '@winnow/contract';
import { findTitle } from './find-title.ts';
import { newId } from '../shared/new-id.ts';
import type { SnapshotContent, SnapshotRepository } from './snapshot-ports.ts';

/** Extracted by every engine. */
export const SAMPLE_MARK = 'A harbour town keeps its market';

/** Only by engines that run scripts. */
export const SAMPLE_SCRIPTED_MARK = 'written by a script';

/** Reserved (RFC 2606). */
const SAMPLE_URL = 'https://sample.invalid/market';

export const SAMPLE_PAGE: string = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${SAMPLE_MARK}</title>
<meta name="author" content="Winnow">
<meta property="article:published_time" content="2024-05-06T07:08:09Z">
</head>
<body>
<nav><a href="/">Home</a> <a href="/archive">Archive</a></nav>
<main><article>
<h1>${SAMPLE_MARK}</h1>
<p>The market by the harbour opens at <strong>five in the morning</strong>, when the boats come in. The best fish is
sold before the sun is up. Late customers take what is left, or talk about the weather.</p>
<p>The town thought about moving the market to a hall outside the walls. It asked everybody who buys and everybody who
sells, and both sides of the counter gave the same answer: the market stays where the water is.</p>
</article></main>
<footer>A sample page of Winnow.</footer>
<script>const added = document.createElement('p');
added.textContent = ['written', 'by', 'a', 'script'].join(' ');
document.querySelector('article').append(added);</script>
</body>
</html>
`;

export async function storeSample(
  parts: { readonly content: Pick<SnapshotContent, 'put'>; readonly snapshots: SnapshotRepository },
  projectId: string,
  now: Date = new Date(),
): Promise<string> {
  const domId = newId(ID_PREFIXES.dom);
  await parts.snapshots.insert({
    ...(await parts.content.put(SAMPLE_PAGE)),
    domId,
    projectId,
    url: SAMPLE_URL,
    finalUrl: SAMPLE_URL,
    statusCode: 200,
    engine: 'http',
    fetchedAt: now,
    contentType: 'text/html; charset=utf-8',
    contentLanguage: null,
    title: findTitle(SAMPLE_PAGE),
    filtered: false,
  });
  return domId;
}
