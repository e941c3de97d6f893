import { HTTP_ROUTES } from './http-routes.ts';
import { ARTICLE, MARK, page, sleep } from '../route.ts';
import type { Route, Routes } from '../route.ts';

const after =
  (ms: number, text: string): Route =>
  async ({ response }) => {
    await sleep(ms);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ text }));
  };

const client = (api: string): Route =>
  page(`<div id="root"></div><script>
fetch('${api}').then((answer) => answer.json()).then(({ text }) => {
  document.getElementById('root').innerHTML = '<article><h1>Rendered</h1>' + ('<p>' + text + '</p>').repeat(20) + '</article>';
});
</script>`);

const onePixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** Pages that build their content in different ways and at different times. */
export const RENDERING_ROUTES: Routes = {
  '/static': page(`${ARTICLE}<p>${MARK}</p>`),
  '/sandboxed': page(`${ARTICLE}<p>${MARK}</p>`, { 'content-security-policy': 'sandbox' }),
  '/rendered-srcdoc': page(
    `<iframe class="a" srcdoc="<p id=p>before</p><script>p.textContent = '${MARK}'</script>" title="b"></iframe>`,
  ),
  '/hidden-by-sheet': page(`<link rel="stylesheet" href="/hidden-by-sheet.css">${ARTICLE}
<div class="ads none"><p id="inner">text of display none</p></div>
<p class="unseen">text of visibility hidden</p>
<div class="unseen"><p>text beside a visible part</p><p style="visibility:visible">visible part</p></div>
<p class="faint">text of opacity zero</p>
<p class="faint moves">text that moves in</p>
<p class="skipped">text of skipped content</p>
<div class="skipped"><p>inner text of skipped content</p></div>
<form class="none"><input name="setAttribute"><input name="getAttribute"><input name="textContent">text in a form</form>
<details><summary>More</summary><p>text of details</p></details>
<div hidden="until-found"><p>text found by search</p></div>
<div class="none"></div><noscript><p>Scripts are off.</p></noscript>
<p data-winnow-unrendered="own">text that the page marks</p>
<iframe srcdoc="<style>.none{display:none}</style><p class='none'>text in a frame</p>"></iframe>
<div id="host"></div><form name="querySelectorAll"></form><form name="createTreeWalker"></form>
<script>
document.getElementById('host').attachShadow({ mode: 'open' }).innerHTML = '<style>.none{display:none}</style><p class="none">text in a shadow root</p>';
</script>`),
  '/hidden-by-sheet.css': ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/css' });
    response.end(`body .none { display: none } body .unseen { visibility: hidden } body .faint { opacity: 0 }
body .moves { transform: translateY(20px) } body .skipped { content-visibility: hidden }`);
  },
  '/client': client('/api?ms=0'),
  '/client-slow': client('/api?ms=700'),
  '/slow-script': page(`${ARTICLE}<p id="out">waiting</p><script src="/slow-script.js"></script>`),
  '/slow-script.js': async ({ response }) => {
    await sleep(1500);
    response.writeHead(200, { 'content-type': 'text/javascript' });
    response.end(`document.getElementById('out').textContent = '${MARK}'`);
  },
  '/client-rows':
    page(`<main><h1>Harbour times</h1><p>The table is brought up to date at every turn of the tide.</p><table><thead>
<tr><th>Day</th></tr></thead><tbody></tbody></table></main><script>
fetch('/api?ms=700').then((answer) => answer.json()).then(({ text }) => {
  document.querySelector('tbody').innerHTML = ('<tr><td>' + text + '</td></tr>').repeat(20);
});
</script>`),
  '/client-component':
    page(`<main><h1>Harbour times</h1><p>${'The ferry leaves when the tide allows it. '.repeat(5)}</p><ferry-times></ferry-times></main><script>
addEventListener('load', () => fetch('/api?ms=300').then((answer) => answer.json()).then(({ text }) => {
  document.querySelector('ferry-times').innerHTML = ('<p>' + text + '</p>').repeat(20);
}));
</script>`),
  '/client-route': page(`${ARTICLE}<script>
addEventListener('load', () => fetch('/api?ms=300&part=' + location.hash.slice(3)).then((answer) => answer.json()).then(({ text }) => {
  document.body.innerHTML = ('<p>' + text + '</p>').repeat(20);
}));
</script>`),
  '/chained': page(`<div id="root"></div><script type="module">
const get = async (step) => (await (await fetch('/api?ms=120&step=' + step)).json()).text;
await get(1); await get(2);
document.getElementById('root').innerHTML = ('<p>' + await get(3) + '</p>').repeat(20);
</script>`),
  '/late': page(`${ARTICLE}<div id="late"></div><script>
addEventListener('load', () => setTimeout(() => { document.getElementById('late').textContent = '${MARK}'; }, 800));
</script>`),
  '/late-shell': page(
    (
      url,
    ) => `<nav>${'<a href="/">One of many places</a> '.repeat(20)}</nav><main><div class="${url.searchParams.get('class') ?? 'list-skeleton'}"></div></main>
<script>setTimeout(() => {
  document.querySelector('main').innerHTML = '<article>' + '<p>${MARK}</p>'.repeat(20) + '</article>';
}, ${Number(url.searchParams.get('ms') ?? 2500)});</script>`,
  ),
  '/late-picture': page(`<main><p>Harbour times</p><img src="/pixel" alt="Please wait" width="200" height="200"></main>
<script>setTimeout(() => { document.querySelector('main').innerHTML = '<p>${MARK}</p>'.repeat(20); }, 2500);</script>`),
  '/late-visitor': page(`<main><div class="list-skeleton"></div></main><script>
addEventListener('mousemove', () => { document.querySelector('main').innerHTML = '<p>${MARK}</p>'.repeat(20); }, { once: true });
</script>`),
  '/late-data': client('/api?ms=5500'),
  '/late-event': page(`<div id="root"></div><script>
new EventSource('/one-event').onmessage = ({ data }) => { document.getElementById('root').textContent = data.repeat(20); };
</script>`),
  '/one-event': async ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    await sleep(2500);
    response.write(`data: ${MARK}\n\n`);
  },
  // Slow for every client: a browser that starts later gets the page later.
  '/slow-for-plain': async (exchange) => {
    await sleep(Number(exchange.url.searchParams.get('ms')));
    await page(`${ARTICLE}<p>${MARK}</p>`)(exchange);
  },
  '/reports/pdf/report.pdf': ({ response }) => {
    response.writeHead(302, { location: '/pdf' });
    response.end();
  },
  '/embedded-pdf': page(({ searchParams }) => {
    const kinds: Readonly<Record<string, string>> = {
      embed: '<embed src="/pdf" type="application/pdf" width="800">',
      object: '<object data="/pdf" type="application/pdf"><p>No viewer.</p></object>',
      frame: '<iframe src="/pdf" type="application/pdf" width="800" height="900"></iframe>',
      unnamed: '<iframe src="/pdf" width="800" height="900"></iframe>',
      viewer: '<iframe src="/viewer.html?file=/reports/pdf/report.pdf" width="800" height="900"></iframe>',
    };
    const shown = kinds[searchParams.get('as') ?? ''] ?? '';
    return `<h1>Report</h1>${shown}${searchParams.has('article') ? ARTICLE : ''}`;
  }),
  '/leaves-late': page(`<p>We have moved.</p><script>setTimeout(() => { location.href = '/static'; }, 2500);</script>`),
  '/announces-another':
    page(`<h1>New address</h1><p>Our timetable has moved. You will be redirected there in a few seconds; if
nothing happens, ask at the desk.</p><script>const go = () => { location.href = '/static'; }; setTimeout(go, 2500);</script>`),
  // No request, no placeholder: only the name of the site and a canvas are there.
  '/late-words':
    page(`<header><h1>Harbour times</h1></header><canvas width="600" height="300"></canvas><div id="view"></div><script>
setTimeout(() => { document.getElementById('view').innerHTML = '<p>${MARK}</p>'.repeat(20); }, 2500);
</script>`),
  '/late-component':
    page(`<p>Harbour times of the town</p><main><list-skeleton><i style="display:block;height:60px"></i></list-skeleton></main>
<script>setTimeout(() => { document.querySelector('main').innerHTML = '<p>${MARK}</p>'.repeat(20); }, 2500);</script>`),
  '/finished-beside-spinner': page(`${ARTICLE}<div class="spinner">&nbsp;</div><div id="root"></div><script>
setTimeout(() => { document.body.insertAdjacentHTML('beforeend', '<p>nobody waits for this</p>'); }, 60000);
</script>`),
  '/finished-beside-hidden-shell': page(`<p>Closed today.</p><img src="/pixel" width="200" height="200">
<div hidden><div class="skeleton"></div><p aria-busy="true"></p></div><script>
setTimeout(() => { document.body.insertAdjacentHTML('beforeend', '<p>nobody waits for this</p>'); }, 60000);
</script>`),
  '/lazy':
    page(`<main>${Array.from({ length: 12 }, (_, index) => `<section style="height:900px" data-index="${index}"></section>`).join('')}</main><script>
const observer = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    observer.unobserve(target);
    fetch('/api?ms=20&section=' + target.dataset.index).then((a) => a.json()).then(({ text }) => {
      target.innerHTML = '<p>section ' + target.dataset.index + ' ' + text + '</p>';
    });
  }
});
for (const section of document.querySelectorAll('section')) observer.observe(section);
</script>`),
  // The page shows a frame, which a script fills.
  '/late-frame': page(`<nav><a href="/">Home</a></nav><iframe src="/late-shell" width="800" height="600"></iframe>`),
  '/late-row':
    page(`<h1>Harbour times</h1><p>${'The ferry leaves when the tide allows it. '.repeat(16)}</p><table><tbody><tr><td>Fetching the trips …</td></tr></tbody></table>
<script>setTimeout(() => { document.querySelector('td').innerHTML = '<p>${MARK}</p>'.repeat(20); }, 2500);</script>`),
  // Requests nothing for a second, beside a text.
  '/late-deferred':
    page(`<h1>Harbour times</h1><p>${'The ferry leaves when the tide allows it. '.repeat(12)}</p><div hx-get="/api" hx-trigger="load delay:1200ms"></div>
<script>setTimeout(() => { document.querySelector('div').innerHTML = '<p>${MARK}</p>'.repeat(20); }, 1200);</script>`),
  // An event handler opens the other page.
  '/leaves-late-by-handler': ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(
      `<body onload="setTimeout('location.href = &quot;/static&quot;', 2500)"><p>The timetable is at another place, and so is the map of the harbour with all its piers and bridges, drawn by hand.</p>`,
    );
  },
  '/leaves-after-a-wait':
    page(`<p>The timetable is at another place, and so is the map of the harbour with all its piers and bridges, drawn by hand.</p><script>
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
(async () => { await wait(2500); location.assign('/static'); })();
</script>`),
  // Neither its script nor its style sheet is ever answered.
  '/hanging-head': page(
    (
      url,
    ) => `<script src="${url.searchParams.get('at') ?? ''}/no-answer?script"></script><link rel="stylesheet" href="/no-answer?style">
<div id="root"></div><script>document.getElementById('root').innerHTML = '<p>${MARK}</p>'.repeat(20);</script>`,
  ),
  '/hanging-image': page(`${ARTICLE}<p>${MARK}</p><img src="/hang">`),
  '/endless-mutation': page(`${ARTICLE}<p>${MARK}</p><p id="clock"></p><script>
setInterval(() => { document.getElementById('clock').textContent = String(Date.now()); }, 10);
</script>`),
  '/endless-growth': page(`${ARTICLE}<p>${MARK}</p><ul id="log"></ul><script>
setInterval(() => { document.getElementById('log').insertAdjacentHTML('beforeend', '<li>a line more of an endless log</li>'); }, 20);
</script>`),
  '/many': page(
    `${ARTICLE}${Array.from({ length: 200 }, (_, index) => `<img src="/pixel?${index}" width="1" height="1">`).join('')}<p>${MARK}</p>`,
  ),
  '/styled': page(
    `<link rel="stylesheet" href="/style.css"><img src="/pixel?styled">${ARTICLE}<p>${MARK}</p><video src="/video.mp4"></video>`,
  ),
  '/iframe': page(
    `${ARTICLE}<iframe src="/frame"></iframe><iframe srcdoc="<p>inside &quot;srcdoc&quot; &amp; more</p>"></iframe>`,
  ),
  '/frame': page(`<p>${MARK}</p><iframe src="/frame-inner"></iframe>`),
  '/foreign-frame': page(
    (
      url,
    ) => `<h1>Timetable</h1><p>${'words '.repeat(Number(url.searchParams.get('words') ?? 0))}</p><iframe src="${url.searchParams.get('src') ?? ''}" width="600" height="400"></iframe>
<iframe src="/frame" width="600" style="position:absolute;width:0;height:0;border:0"></iframe>`,
  ),
  '/article-beside-frame': page((url) => `${ARTICLE}<iframe src="${url.searchParams.get('src') ?? ''}"></iframe>`),
  '/object-frame': page(
    (
      url,
    ) => `<h1>Timetable</h1><object data="${url.searchParams.get('src') ?? ''}" width="600" height="400"><p>No frames.</p></object>
<embed type="text/html" src="/frame" width="600" height="300">`,
  ),
  '/frame-of-frames': page('<iframe src="/frame-of-frame" width="600" height="300"></iframe>'),
  '/frame-of-frame': page('<iframe src="/frame" width="500" height="300"></iframe>'),
  '/frame-inner': page('<p>the innermost frame</p>'),
  '/shadow': page(`<div id="open"></div><div id="closed"></div>
<div><template shadowrootmode="open"><p>declarative shadow text</p></template></div><script>
document.getElementById('open').attachShadow({ mode: 'open' }).innerHTML = '<p>open shadow text</p>';
document.getElementById('closed').attachShadow({ mode: 'closed' }).innerHTML = '<p>closed shadow text</p>';
</script>`),
  '/client-redirect': page(`<p>Moving on.</p><script>location.replace('/static');</script>`),
  '/meta-refresh': page('<meta http-equiv="refresh" content="0; url=/static"><p>Moving on.</p>'),
  '/meta-refresh-bare': page(
    `<meta http-equiv="refresh" content="0; /static">${'<p>Moving on, in many words.</p>'.repeat(40)}`,
  ),
  '/header-refresh': page('', { refresh: '0; url=/static' }),
  '/header-refresh-late': page('<h1>Moved</h1>', { refresh: '2; url=/static' }),
  '/states-refresh': page(({ searchParams }) => {
    const refresh = `<meta content="${searchParams.get('content') ?? '0'}" http-equiv="Refresh">`;
    return `${refresh}<nav><a href="/">Home</a></nav><p>This page is elsewhere now.</p>${searchParams.has('article') ? ARTICLE : ''}`;
  }),
  '/refresh-from-base': page('<base href="/reports/"><meta http-equiv="refresh" content="0; url=static"><p>Moved.</p>'),
  '/reports/static': page(ARTICLE),
  // Each page opens the other after a while, or the next one at once.
  '/refresh-there': page('<p>Over there.</p>', { refresh: '2; url=/refresh-back' }),
  '/refresh-back': page('<p>Back there.</p>', { refresh: '2; url=/refresh-there' }),
  '/refresh-loop': page(({ searchParams }) => {
    const next = Number(searchParams.get('n') ?? 0) + 1;
    return `<meta http-equiv="refresh" content="0; url=/refresh-loop?n=${next}"><p>Not here.</p>`;
  }),
  '/leads-to-pdf': async (exchange) => {
    const ways: Readonly<Record<string, string>> = {
      script: '<script>setTimeout(() => location.assign("/pdf"), 50)</script>',
      link: '<a id="report" href="/reports/pdf/report.pdf"></a><script>document.getElementById("report").click()</script>',
      refresh: '<meta http-equiv="refresh" content="1; /pdf">',
      cookie: '<script>document.cookie = "report=ready; path=/"; location.replace(location.href)</script>',
      attachment: '<script>location.href = "/attached-page"</script>',
      nothing: '<script>location.href = "/empty-204"</script>',
    };
    const { searchParams } = exchange.url;
    if (/report=ready/.test(exchange.request.headers.cookie ?? '')) return await HTTP_ROUTES['/pdf']?.(exchange);
    const more = searchParams.has('article') ? ARTICLE : '';
    return await page(`<p>The report opens at once.</p>${ways[searchParams.get('by') ?? ''] ?? ''}${more}`)(exchange);
  },
  '/stays': page(
    (url) => `${ARTICLE}<p>${MARK}</p><script>
const leave = () => { location.href = '${url.searchParams.get('for') ?? '/download'}'; };
${url.searchParams.has('at-once') ? 'leave();' : 'setTimeout(leave, 50);'}
</script><p>the end of the page</p><img src="/slow-pixel">`,
  ),
  '/slow-pixel': async (exchange) => {
    await sleep(500);
    await RENDERING_ROUTES['/pixel']?.(exchange);
  },
  '/history': page(`${ARTICLE}<script>history.pushState({}, '', '/history/pushed');</script>`),
  '/dialogs': page(`<script>
alert('one'); const answer = confirm('two'); const text = prompt('three');
addEventListener('beforeunload', (event) => { event.preventDefault(); event.returnValue = 'stay'; });
document.write('<p>confirm said ' + answer + ', prompt said ' + text + '. ${MARK}</p>');
</script>`),
  // Navigates on a click, after a beforeunload prompt.
  '/asks-to-stay': page(`${ARTICLE}<img src="/hang?asks"><script>
addEventListener('beforeunload', (event) => { event.preventDefault(); event.returnValue = 'stay'; });
addEventListener('mouseup', () => setTimeout(() => { location.href = '/static'; }, 50));
</script>`),
  '/worker': page(`<p id="out">waiting</p><script>
new Worker('/worker.js').onmessage = ({ data }) => { document.getElementById('out').textContent = data; };
</script>`),
  '/worker.js': ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/javascript' });
    response.end(`postMessage('from the worker: ${MARK}')`);
  },
  '/permissions': page(`<p id="out">asking</p><script>
const states = [
  Notification.requestPermission(),
  new Promise((resolve) => navigator.geolocation.getCurrentPosition(() => resolve('got a position'), (error) => resolve('refused ' + error.code))),
];
Promise.all(states).then((answers) => { document.getElementById('out').textContent = 'answers: ' + answers.join(', '); });
</script>`),
  '/popups': page(`<script>
const opened = [window.open('/static'), window.open('/static', '_blank', 'popup')];
window.open('/hang', '_blank', 'noopener');
document.write('<p>${MARK}</p>');
</script><a id="link" href="/static" target="_blank">x</a><script>document.getElementById('link').click();</script>`),
  '/api': async (exchange) => after(Number(exchange.url.searchParams.get('ms') ?? 0), MARK)(exchange),
  '/style.css': ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/css' });
    response.end(
      'body { background: url(/pixel?css); font-family: Test } @font-face { font-family: Test; src: url(/font.woff2) }',
    );
  },
  '/pixel': ({ response }) => {
    response.writeHead(200, { 'content-type': 'image/gif', 'cache-control': 'no-store' });
    response.end(onePixel);
  },
  // Never answered.
  '/hang': () => {},
};
