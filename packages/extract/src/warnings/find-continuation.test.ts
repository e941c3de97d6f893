import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extract, LOADS_ON_SCROLL } from '../index.ts';

const SENTENCE = 'The harbour town keeps its old market, and the fishermen sell there every morning until noon.';
const cards = (count: number): string =>
  Array.from(
    { length: count },
    (_, at) =>
      `<div class="card"><h3><a href="/boat/${at}">Boat ${at}</a></h3><span>${at} metres. ${SENTENCE}</span></div>`,
  ).join('');
const LIST = `<h1>Boats</h1><div id="boats">${cards(12)}</div>`;
const ARTICLE = `<article><h1>The market</h1>${`<p>${SENTENCE.repeat(4)}</p>`.repeat(8)}</article>`;

function find(body: string, attributes = ''): { codes: string[]; isSure: boolean } {
  const html = `<!doctype html><html${attributes}><head><title>Boats</title></head><body>${body}</body></html>`;
  const { warnings } = extract(html, { url: 'https://example.com/boats' });
  return {
    codes: warnings.map(({ code }) => code),
    isSure: warnings.some(({ message }) => message === LOADS_ON_SCROLL),
  };
}

const row = (place: string): string => `<div style="position:absolute;${place}">Boat. ${SENTENCE}</div>`;

/** What a page contains that loads more as it is scrolled, by its own statement. */
const SCROLLED: Readonly<Record<string, string>> = {
  'a handler that compares positions': `${LIST}<script>addEventListener('scroll', async () => { const d = document.documentElement; if (d.scrollTop + d.clientHeight < d.scrollHeight - 200) return; const page = await fetch('/boats?from=' + n); boats.append(...read(await page.text())); });</script>`,
  'a handler with jQuery': `${LIST}<script>$(window).scroll(function () { if ($(window).scrollTop() + $(window).height() > $(document).height() - 50) $.get('/boats', { page: ++page }, function (html) { $('#boats').append(html); }); });</script>`,
  'a handler for the end of scrolling': `${LIST}<script>addEventListener('scrollend', async () => { boats.insertAdjacentHTML('beforeend', await (await fetch('/boats/' + n++)).text()); });</script>`,
  'an observer': `${LIST}<i id="end"></i><script>const more = async () => { const answer = await fetch(next); for (const boat of await answer.json()) boats.insertAdjacentHTML('beforeend', draw(boat)); }; new IntersectionObserver(([end]) => end.isIntersecting && more()).observe(document.getElementById('end'));</script>`,
  'an observer of a component': `${LIST}<script>register('boats', { boats: [], observe() { new IntersectionObserver(() => this.more()).observe(this.$refs.end); }, async more() { const { data } = await axios.get('/boats'); this.boats.push(...data); } });</script>`,
  'a place in sight': `${LIST}<script>window.onscroll = () => { if (foot.getBoundingClientRect().top <= window.innerHeight) { const ask = new XMLHttpRequest(); ask.onload = () => { boats.innerHTML += ask.responseText; }; ask.open('GET', '/boats'); ask.send(); } };</script>`,
  htmx: `<h1>Boats</h1><div>${cards(8)}<div class="card" hx-get="/boats?page=2" hx-trigger="revealed" hx-swap="afterend"><h3>Boat 8</h3>${SENTENCE}</div></div>`,
  Alpine: `${LIST}<div x-intersect="loadMore()"></div>`,
  'rows in sight, by their tops': `<h1>Boats</h1><div style="position: relative; height: 24000px">${[0, 60, 120, 180].map((top) => row(`top:${top}px`)).join('')}</div>`,
  'rows in sight, moved': `<h1>Boats</h1><ul style="height:9000.5px">${[0, 44, 88].map((top) => row(`transform: translate3d(0px, ${top}px, 0)`)).join('')}</ul>`,
};

for (const [what, body] of Object.entries(SCROLLED)) {
  test(`a page that loads more as it is scrolled says so: ${what}`, () => {
    assert.deepEqual(find(body), { codes: ['continues_on_scroll'], isSure: true });
    assert.deepEqual(find(body, ' data-winnow-scrolled="end"').codes, [], 'it was scrolled');
  });
}

test('a list with the marks of a library that loads more says so', () => {
  for (const mark of [
    '<ion-infinite-scroll></ion-infinite-scroll>',
    '<div class="infinite-loader" aria-hidden="true"></div>',
    '<div id="scroll-sentinel"></div>',
  ])
    assert.deepEqual(find(`<main>${LIST}${mark}</main>`), { codes: ['continues_on_scroll'], isSure: false }, mark);
  const around = `<main><div class="infinite-scroll-component">${cards(12)}</div></main>`;
  assert.deepEqual(find(around), { codes: ['continues_on_scroll'], isSure: false });
});

test('a page whose scrolling ended at its limit says so', () => {
  assert.deepEqual(find(LIST, ' data-winnow-scrolled="limit"'), { codes: ['continues_on_scroll'], isSure: false });
});

test('a button that loads more of the list says so, in many languages', () => {
  for (const label of [
    'Load more',
    'Show 20 more results',
    'Mehr anzeigen',
    'Weitere Artikel laden',
    'Afficher plus',
    'Cargar más',
    'Carica altri',
    'Visa fler',
    'Pokaż więcej',
    'Показать ещё',
    'もっと見る',
    '加载更多',
    '더보기',
  ])
    for (const button of [
      `<button type="button">${label}</button>`,
      `<a href="#">${label}</a>`,
      `<span role="button">${label}</span>`,
    ])
      assert.deepEqual(find(`<main>${LIST}${button}</main>`).codes, ['continues_on_click'], button);
});

test('pages that do not go on have no such warning', () => {
  for (const body of [
    LIST,
    `${LIST}<a href="/boats?page=2">Load more</a>`,
    `${LIST}<button>Show more information</button>`,
    `${ARTICLE}<section class="comments">${cards(4)}<button>Load more</button></section>`,
    `${ARTICLE}<aside>${cards(4)}<button>Show more</button></aside>`,
    `${ARTICLE}<div class="related">${cards(4)}<div class="infinite-loader"></div></div>`,
    `${ARTICLE}<script>addEventListener('scroll', () => { bar.style.width = 100 * scrollY / (document.body.scrollHeight - innerHeight) + '%'; });</script>`,
    `${ARTICLE}<script>new IntersectionObserver((seen) => seen.forEach(({ target }) => { target.src = target.dataset.src; })).observe(picture);</script>`,
    `<div style="height:3000px;position:relative">${[0, 900, 1800, 2600].map((top) => row(`top:${top}px`)).join('')}</div>`,
  ])
    assert.deepEqual(find(body).codes, [], body.slice(0, 300));
});
