/** The pages that the interface tests fetch, from a real server on loopback. */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { CONTENT_PAGES } from '../interface/content-pages.ts';

const SENTENCE = 'The harbour town keeps its old market, and the fishermen sell there every morning. ';

const HIDDEN_SENTENCE = 'This sentence is hidden from every reader, and is written for machines alone.';

export const ARTICLE = `<!doctype html>
<html lang="en">
<head>
<title>The market by the harbour</title>
<meta name="description" content="What is sold at the harbour.">
<meta name="author" content="Ada Example">
<meta property="article:published_time" content="2024-05-06T07:08:09+02:00">
<link rel="stylesheet" href="/style.css"><link rel="preload" as="script" href="/app.js">
<link rel="canonical" href="/article">
<style>p { color: black }</style>
</head>
<body>
<nav><a href="/">Home</a> <a href="/contact">Contact</a></nav>
<article>
<h1>The market by the harbour</h1>
<p onclick="return false">${SENTENCE.repeat(6)}</p>
<p>${SENTENCE.repeat(6)} <a href="/more">More</a> <a href="https://example.org/away">Away</a></p>
<img src="/fish.png" alt="Fish" width="640" height="480">
</article>
<noscript><p>Scripts are off.</p></noscript>
<script>globalThis.loaded = true</script>
</body>
</html>`;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

function send(response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'Content-Type': 'text/html; charset=utf-8', ...headers });
  response.end(body);
}

const PAGES: Readonly<Record<string, Handler>> = {
  ...Object.fromEntries(
    Object.entries(CONTENT_PAGES).map(([path, html]): [string, Handler] => [
      path,
      (_, response) => send(response, 200, html),
    ]),
  ),
  '/article': (_, response) => send(response, 200, ARTICLE),
  '/hidden': (_, response) =>
    send(response, 200, ARTICLE.replace('<img', `<p style="display:none">${HIDDEN_SENTENCE}</p><img`)),
  /** An external style sheet hides a paragraph, the tab panels and the answers to questions. */
  '/hidden-by-sheet': (_, response) => {
    const panels = ['one', 'two'].map(
      (name) => `<div role="tabpanel" class="c9"><p>Tab ${name}. ${SENTENCE}</p></div>`,
    );
    const answers = ['first', 'second', 'third'].map(
      (name) =>
        `<div class="q"><h3>The ${name} question?</h3><div class="c9"><p>The ${name} answer. ${SENTENCE}</p></div></div>`,
    );
    const piece = `<p class="c9">${HIDDEN_SENTENCE}</p>${panels.join('')}${answers.join('')}<img`;
    send(response, 200, ARTICLE.replace('/style.css', '/hide.css').replace('<img', piece));
  },
  '/hide.css': (_, response) => send(response, 200, 'article .c9 { display: none }', { 'Content-Type': 'text/css' }),
  '/large': (_, response) => {
    const body = Array.from({ length: 30_000 }, (_item, index) => `<p id="p${index}">${SENTENCE}</p>`).join('\n');
    send(response, 200, `<!doctype html><title>Large</title><main>${body}</main>`);
  },
  /** Compressed, without the end of the stream. */
  '/torn': (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Encoding': 'gzip' });
    response.end(gzipSync(ARTICLE).subarray(0, -8));
  },
  '/rendered': (_, response) =>
    send(
      response,
      200,
      `<!doctype html><html lang="en"><title>Rendered</title><div id="root"></div><script>
      const article = document.createElement('article');
      article.innerHTML = '<h1>Rendered here</h1>' + '<p>${SENTENCE.repeat(4)}</p>'.repeat(4);
      document.getElementById('root').append(article);
      </script></html>`,
    ),
  '/empty': (_, response) => send(response, 200, '<!doctype html><title>Nothing here</title><body></body>'),
  '/missing': (_, response) =>
    send(response, 404, '<!doctype html><title>Gone</title><p>There is no such page here.</p>'),
  '/broken': (_, response) => send(response, 500, '<!doctype html><title>Broken</title><p>It broke.</p>'),
  '/challenge': (_, response) =>
    send(response, 403, '<!doctype html><title>Just a moment...</title><div id="challenge-form"></div>', {
      'cf-mitigated': 'challenge',
      Server: 'cloudflare',
    }),
  '/huge-missing': (_, response) => send(response, 404, `<!doctype html><p>${'x'.repeat(300_000)}</p>`),
  '/missing-pdf': (_, response) => send(response, 404, '%PDF-1.7', { 'Content-Type': 'application/pdf' }),
  '/busy': ({ url = '' }, response) => {
    const wait = new URL(url, 'http://pages.test').searchParams.get('retry-after') ?? '7';
    send(response, 503, '<!doctype html><title>Busy</title><p>Come back later.</p>', { 'Retry-After': wait });
  },
  '/blocked-for-now': (_, response) =>
    send(response, 429, '<!doctype html><title>Just a moment...</title><div id="challenge-form"></div>', {
      'cf-mitigated': 'challenge',
      'Retry-After': '30',
      Server: 'cloudflare',
    }),
  '/pdf': (_, response) => send(response, 200, '%PDF-1.7', { 'Content-Type': 'application/pdf' }),
  '/redirect': (_, response) => send(response, 302, '', { Location: '/article' }),
  '/loop': (_, response) => send(response, 302, '', { Location: '/loop' }),
  '/to-metadata': (_, response) => send(response, 302, '', { Location: 'http://169.254.169.254/latest/meta-data/' }),
  '/hang': () => undefined,
  '/huge': (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' });
    response.end(`<p>${'x'.repeat(300_000)}</p>`);
  },
};

export interface TestPages {
  readonly url: string;
  /** Answers the waiting requests for `/gate`. */
  openGate(): void;
  /** Returns the number of requests for a path. */
  hits(path: string): number;
  close(): Promise<void>;
}

export async function serveTestPages(): Promise<TestPages> {
  const hits = new Map<string, number>();
  const waiting: (() => void)[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    hits.set(path, (hits.get(path) ?? 0) + 1);
    const page =
      PAGES[path.split('?', 1)[0] ?? ''] ??
      ((_: IncomingMessage, other: ServerResponse) => send(other, 404, 'not here'));
    if (path === '/gate') waiting.push(() => send(response, 200, ARTICLE));
    else page(request, response);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    openGate: () => {
      for (const answer of waiting) answer();
    },
    hits: (path) => hits.get(path) ?? 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
