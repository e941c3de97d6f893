import { ARTICLE, MARK, page } from '../route.ts';
import type { Routes } from '../route.ts';

/** Pages that exhaust resources or interfere with the capture. */
export const HOSTILE_ROUTES: Routes = {
  '/endless-script': page(`${ARTICLE}<p>${MARK}</p><script>for (;;) {}</script>`),
  '/endless-script-later': page(
    `${ARTICLE}<p>${MARK}</p><script>addEventListener('load', () => setTimeout(() => { for (;;) {} }, 30));</script>`,
  ),
  '/memory-hog': page(
    (url) => `<p>hog</p>${url.searchParams.has('load') ? '<img src="/hang">' : ''}<script>
const kept = [];
const eat = () => { const block = new Uint8Array(64 * 1048576); block.fill(7); kept.push(block); setTimeout(eat, 0); };
eat();
</script>`,
  ),
  '/busy-workers': page(
    (url) => `${ARTICLE}<p>${MARK}</p>${url.searchParams.has('load') ? '<img src="/hang">' : ''}<script>
const burn = URL.createObjectURL(new Blob(['for (;;) {}']));
for (let count = 0; count < 4; count += 1) new Worker(burn);
</script>`,
  ),
  // The browser process, not the renderer, holds blobs.
  '/blob-hog': page(
    (url) => `${ARTICLE}<p>${MARK}</p>${url.searchParams.has('load') ? '<img src="/hang">' : ''}<script>
const kept = Array.from({ length: 50 }, (_, index) => new Blob([new Uint8Array(8 * 1048576).fill(index + 1)]));
</script>`,
  ),
  '/heap-hog': page(`<p>hog</p><script>
const kept = [];
for (;;) kept.push(Array.from({ length: 10000 }, (_, index) => ({ index })));
</script>`),
  '/node-hog': page(`<script>
const grow = () => { for (let i = 0; i < 20000; i += 1) document.body.append(document.createElement('p')); setTimeout(grow, 0); };
grow();
</script>`),
  '/large-dom': page(
    `<script>document.write('<p>${'a line of a page that is too large '.repeat(4)}</p>'.repeat(36000));</script>`,
  ),
  // Copies each frame's mark, as soon as it appears, into a neighbour's document and into the page.
  '/frame-marks': page(`${ARTICLE}<p>${MARK}</p><div id="box"></div><script>
const box = document.getElementById('box');
const frames = Array.from({ length: 8 }, () => box.appendChild(document.createElement('iframe')));
const marks = new Map();
new MutationObserver(() => {
  for (const frame of frames) {
    const mark = frame.getAttribute('data-winnow-frame');
    if (mark === null || marks.get(frame) === mark) continue;
    marks.set(frame, mark);
    const copies = '<i data-winnow-frame="' + mark + '">copy</i>';
    const before = frames[frames.indexOf(frame) - 1];
    if (before) before.contentDocument.body.innerHTML = copies.repeat(10);
    document.body.insertAdjacentHTML('beforeend', copies.repeat(10));
  }
}).observe(box, { attributes: true, subtree: true });
</script>`),
  // Removes each mark of the capture at once: by an observer, a custom element and an endless message loop.
  '/removes-marks': page(`<style>body .none { display: none }</style>${ARTICLE}<p>${MARK}</p>
<p class="none">text for machines</p><x-text class="none">text of a custom element</x-text><output id="seen">seen 0</output><script>
const NAME = 'data-winnow-unrendered';
let seen = 0;
const clear = () => {
  for (const node of document.querySelectorAll('[' + NAME + ']')) {
    node.removeAttribute(NAME);
    document.getElementById('seen').textContent = 'seen ' + ++seen;
  }
};
customElements.define('x-text', class extends HTMLElement {
  static observedAttributes = [NAME];
  attributeChangedCallback() { clear(); }
});
new MutationObserver(clear).observe(document, { attributes: true, subtree: true });
const { port1, port2 } = new MessageChannel();
port1.onmessage = () => { clear(); port2.postMessage(0); };
port2.postMessage(0);
</script>`),
  // Navigates away once all frames are marked, while the capture reads them: the frames are long.
  '/leaves-when-read': page(
    (url) => `${ARTICLE}<p>${MARK}</p>${'<iframe src="/long-line"></iframe>'.repeat(20)}<script>
let marks = 0;
new MutationObserver((records) => {
  marks += records.length;
  if (marks === 20) setTimeout(() => { location.href = ${JSON.stringify(url.searchParams.get('for'))}; }, ${Number(url.searchParams.get('after'))});
}).observe(document.body, { attributes: true, subtree: true });
</script>`,
  ),
  '/leaves-for-blank': page(`<p>leaving</p><script>location.href = 'about:blank';</script>`),
  '/leaves-for-blob': page(
    `<p>leaving</p><script>location.href = URL.createObjectURL(new Blob(['<p>${MARK}</p>'], { type: 'text/html' }));</script>`,
  ),
  // Closes itself by its own script, by one of a frame, or by one of a page that it opened.
  '/closes-itself': page((url) => {
    const scripts: Readonly<Record<string, string>> = {
      itself: 'close();',
      named: "open('', '_self').close();",
      frame: "document.body.append(document.createElement('iframe')); frames[0].eval('top.close()');",
      borrowed: "document.body.append(document.createElement('iframe')); frames[0].close.call(window);",
      popup: "open('').eval('opener.close()');",
      sandbox: `const frame = document.createElement('iframe');
frame.sandbox = 'allow-scripts allow-top-navigation';
frame.srcdoc = '<script>top.close()<' + '/script>';
document.body.append(frame);`,
    };
    return `${ARTICLE}<p>${MARK}</p><script>${scripts[url.searchParams.get('by') ?? '']}</script>`;
  }),
  '/large-frames': page(
    (url) => `${ARTICLE}<div id="box"></div><script>
for (let index = 0; index < ${Number(url.searchParams.get('n') ?? 10)}; index += 1) {
  const frame = document.getElementById('box').appendChild(document.createElement('iframe'));
  frame.contentDocument.body.textContent = '\\"'.repeat(300000);
}
</script>`,
  ),
  '/long': page(ARTICLE.repeat(1000)),
  '/long-line': page(`<p>${'a line that goes on '.repeat(20_000)}</p>`),
  '/popup-storm': page(
    `${ARTICLE}<p>${MARK}</p><script>for (let i = 0; i < 20; i += 1) window.open('/static');</script>`,
  ),
  '/reload-loop': page(`${ARTICLE}<script>location.reload();</script>`),
};
