/** An isolated world: it sees the DOM, but pages cannot see it. */
export const WORLD = 'winnow';
/** Stops scripts from closing the page. The replacement is native too, so pages do not notice. */
export const STAY_OPEN_SCRIPT =
  "window.close = Object.defineProperty(captureEvents.bind(), 'name', { value: 'close' });";

/**
 * Ignores nodes that change 20 times without growing (a clock, an animation): otherwise the page would never be quiet.
 * Attributes do not count.
 */
export const OBSERVER_SCRIPT = `(() => {
  if (globalThis.__winnowQuietMs) return;
  const MAX_CHANGES = 20;
  const nodes = new WeakMap();
  let changed = performance.now();
  globalThis.__winnowQuietMs = () => performance.now() - changed;
  const matters = (record) => {
    const node = record.type === 'characterData' ? record.target.parentNode || record.target : record.target;
    const seen = nodes.get(node);
    if (!seen) { nodes.set(node, { changes: 1, length: 0, ignored: false }); return true; }
    if (seen.ignored) return false;
    seen.changes += 1;
    if (seen.changes % MAX_CHANGES === 0) {
      const length = (node.textContent || '').length;
      if (seen.changes > MAX_CHANGES && length <= seen.length + MAX_CHANGES) seen.ignored = true;
      seen.length = length;
    }
    return !seen.ignored;
  };
  new MutationObserver((records) => {
    let matter = false;
    for (const record of records) if (matters(record)) matter = true;
    if (matter) changed = performance.now();
  }).observe(document, { childList: true, characterData: true, subtree: true });
})()`;

/** Starts the observer on pages without scripts, where new-document scripts do not run. */
export const QUIET_EXPRESSION: string = `${OBSERVER_SCRIPT}, globalThis.__winnowQuietMs()`;

/**
 * Scrolls down by at most 60 screens and back. Skips pages without scripts (CSP sandbox), where timers never fire.
 */
export const SCROLL_SCRIPT = `(async () => {
  const MAX_STEPS = 60, STEP_MS = 40;
  if (matchMedia('(scripting: none)').matches) return;
  const frame = () => new Promise((resolve) => { requestAnimationFrame(() => resolve()); setTimeout(resolve, 100); });
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const root = document.scrollingElement || document.documentElement;
  const candidates = [root, ...document.querySelectorAll('main, [role=main], body > div, body > div > div')].slice(0, 200);
  const scrollable = candidates.filter((node) => node === root
    || (node.scrollHeight > node.clientHeight * 1.5 && node.clientHeight > 200 && /auto|scroll/.test(getComputedStyle(node).overflowY)));
  for (const node of scrollable.slice(0, 3)) {
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const before = node.scrollTop;
      node.scrollTop = before + Math.max(200, node.clientHeight * 0.9);
      await frame();
      await pause(STEP_MS);
      if (node.scrollTop <= before) break;
    }
    node.scrollTop = 0;
  }
  await frame();
})()`;
