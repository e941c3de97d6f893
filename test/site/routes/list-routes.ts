import { ARTICLE, document, MARK, page, PARAGRAPH, sleep } from '../route.ts';
import type { Routes } from '../route.ts';

const ENTRIES = 8;

/** Entries of one batch of a list. */
function entries(batch: number): string {
  const numbers = Array.from({ length: ENTRIES }, (_, index) => batch * ENTRIES + index);
  return numbers
    .map((number) => `<li class="entry" style="height:150px"><b>entry ${number}.</b> ${PARAGRAPH}</li>`)
    .join('');
}

/** What the list is in, around `LIST`. */
const BOXES: Readonly<Record<string, string>> = {
  page: 'LIST',
  inner: '<main class="scroller" style="height:500px;overflow-y:auto">LIST</main>',
  nested:
    '<div style="height:700px;overflow-y:auto"><header>News</header><div><div><section><div class="scroller" style="height:500px;overflow-y:scroll;scroll-behavior:smooth">LIST</div></section></div></div><p>below</p></div>',
};

/** When the next batch is requested, by calling `more`. */
const TRIGGERS: Readonly<Record<string, string>> = {
  scroll: `(scroller === document.scrollingElement ? window : scroller).addEventListener('scroll', () => {
  if (scroller.scrollTop + scroller.clientHeight > scroller.scrollHeight - 200) more();
})`,
  seen: `new IntersectionObserver((seen) => { if (seen.some((one) => one.isIntersecting)) more(); }).observe(document.getElementById('end'))`,
  later: `let timer;
(scroller === document.scrollingElement ? window : scroller).addEventListener('scroll', () => {
  clearTimeout(timer);
  timer = setTimeout(() => { if (scroller.scrollTop + scroller.clientHeight > scroller.scrollHeight - 200) more(); }, 400);
})`,
};

export const LIST_ROUTES: Routes = {
  /** A list that goes on: `batches` of them, each after `ms`. */
  '/list': ({ response, url }) => {
    const query = (name: string, usual: string): string => url.searchParams.get(name) ?? usual;
    const list = `<h1>Entries</h1><ul id="list">${entries(0)}</ul><div id="end" style="height:10px"></div>`;
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(
      document(`${(BOXES[query('box', 'page')] ?? '').replace('LIST', list)}<script>
const scroller = document.querySelector('.scroller') ?? document.scrollingElement;
let batch = 1, isBusy = false;
async function more() {
  if (isBusy || batch >= ${query('batches', '5')}) return;
  isBusy = true;
  const text = await (await fetch('/list-batch?ms=${query('ms', '100')}&n=' + batch)).text();
  list.insertAdjacentHTML('beforeend', text);
  batch += 1;
  isBusy = false;
}
${TRIGGERS[query('on', 'scroll')] ?? ''}
</script>`),
    );
  },
  '/list-batch': async ({ response, url }) => {
    await sleep(Number(url.searchParams.get('ms')));
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(entries(Number(url.searchParams.get('n'))));
  },
  /** A list of 120 rows that are only in the page while they are in sight; `ticks`: they all change ten times a second. */
  '/virtual-list': page((url) => {
    const isInner = url.searchParams.has('inner');
    return `<h1>Rows</h1><main${isInner ? ' style="height:600px;overflow-y:auto"' : ''} id="box">
<div id="list" style="position:relative;height:7200px"></div></main><script>
const box = document.getElementById('box'), list = document.getElementById('list');
const isInner = ${isInner}, rows = new Map();
let tick = 0;
function draw() {
  const top = isInner ? box.scrollTop : scrollY, first = Math.max(0, Math.floor(top / 60) - 3);
  for (const [n, row] of rows) if (${url.searchParams.has('ticks')} || n < first || n > first + 24) { row.remove(); rows.delete(n); }
  for (let n = first; n < Math.min(120, first + 25); n += 1) {
    if (rows.has(n)) continue;
    const row = document.createElement('div');
    row.style.cssText = 'position:absolute;height:56px;top:' + n * 60 + 'px';
    row.innerHTML = '<b>row ' + n + '</b> of the long table, with a figure: ' + (tick += 1);
    rows.set(n, row);
    list.append(row);
  }
}
(isInner ? box : window).addEventListener('scroll', draw);
${url.searchParams.has('ticks') ? 'setInterval(draw, 100);' : ''}
draw();
</script>`;
  }),
  /** Asks every second for a figure, and shows it with `shown`. */
  '/polls': page(
    (url) => `${ARTICLE}<p>${MARK}</p><p>Now: <span id="figure">0</span></p><script>
setInterval(() => fetch('/figure?at=' + Date.now()).then((answer) => answer.text()).then((text) => {
  if (${url.searchParams.has('shown')}) document.getElementById('figure').textContent = text;
}), 1000);
</script>`,
  ),
  '/figure': ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).end(String(Date.now() % 100_000));
  },
};
