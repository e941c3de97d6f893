/** An isolated world: it sees the DOM, but pages cannot see it. */
export const WORLD = 'winnow';
/** Stops scripts from closing the page. The replacement is native too, so pages do not notice. */
export const STAY_OPEN_SCRIPT =
  "window.close = Object.defineProperty(captureEvents.bind(), 'name', { value: 'close' });";

/**
 * Ignores nodes that change 20 times, or 4 times in 3 seconds or more, without growing (a clock, an animation, a figure
 * that is polled): otherwise the page would never be quiet. Attributes do not count.
 */
export const OBSERVER_SCRIPT = `(() => {
  if (globalThis.__winnowQuietMs) return;
  const MAX_CHANGES = 20, MAX_SLOW_CHANGES = 4, SLOW_MS = 3000;
  const nodes = new WeakMap();
  let changed = performance.now();
  globalThis.__winnowQuietMs = () => performance.now() - changed;
  const lengthOf = (node) => (node.textContent || '').length;
  const matters = (record) => {
    const node = record.type === 'characterData' ? record.target.parentNode || record.target : record.target;
    const seen = nodes.get(node);
    const now = performance.now();
    if (!seen) { nodes.set(node, { changes: 1, length: 0, ignored: false, at: now, from: lengthOf(node) }); return true; }
    if (seen.ignored) return false;
    seen.changes += 1;
    if (seen.changes % MAX_SLOW_CHANGES === 0 && now - seen.at >= SLOW_MS) {
      const length = lengthOf(node);
      if (length <= seen.from + MAX_CHANGES) seen.ignored = true;
      seen.from = length;
      seen.at = now;
    }
    if (seen.changes % MAX_CHANGES === 0) {
      const length = lengthOf(node);
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

export interface ScrollOrder {
  readonly maxSteps: number;
  readonly maxItems: number;
  readonly maxMs: number;
}

export interface Scrolled {
  readonly steps: number;
  readonly items: number;
  /** False when a limit ended it. */
  readonly isAtEnd: boolean;
  /** Elements that the page has gained since the first call. */
  readonly gained: number;
}

/**
 * Finds what can be scrolled: the page, and the largest elements at any depth that hold more than they show. Navigation
 * beside the content loads nothing.
 */
const FIND_SCROLLERS = `
  const MAX_WALKED = 20000, MAX_SCROLLERS = 4, LEAST_SHARE = .12, BESIDE = 'nav,aside,[role=navigation],textarea,pre,select';
  const root = document.scrollingElement || document.documentElement;
  const findScrollers = () => {
    const found = [], scopes = [document];
    let walked = 0;
    for (let at = 0; at < scopes.length; at += 1) {
      const walker = document.createTreeWalker(scopes[at], NodeFilter.SHOW_ELEMENT);
      for (let node = walker.nextNode(); node && walked < MAX_WALKED; node = walker.nextNode()) {
        walked += 1;
        if (node.shadowRoot) scopes.push(node.shadowRoot);
        if (node === root || node.scrollHeight <= node.clientHeight * 1.1 || node.clientHeight <= 200) continue;
        const area = node.clientHeight * node.clientWidth;
        if (area < innerWidth * innerHeight * LEAST_SHARE || !/auto|scroll|overlay/.test(getComputedStyle(node).overflowY)) continue;
        if (!node.closest(BESIDE)) found.push({ node, area });
      }
    }
    found.sort((one, other) => other.area - one.area);
    return [root, ...found.slice(0, MAX_SCROLLERS).map(({ node }) => node)];
  };
  const state = (globalThis.__winnowScroll ??= { tops: new WeakMap(), elements: 0, lists: new Map() });
  const to = (node, top) => node.scrollTo({ top, behavior: 'instant' });
  // Lists draw their rows in a frame, which comes late on a busy machine.
  const frame = () => new Promise((resolve) => { requestAnimationFrame(() => resolve()); setTimeout(resolve, 500); });
  const countElements = () => document.getElementsByTagName('*').length;`;

/**
 * Lists that remove the rows out of sight. `watchLists` finds them by the rows that they remove, `keepRows` keeps copies
 * of the shown ones by their places, and `restoreRows` adds those that are missing at the end.
 */
const VIRTUAL_LISTS = `
  const MAX_LISTS = 3, MAX_SHOWN = 500, MAX_ROWS = 5000, MAX_KEPT_TEXT = 2000000, LEAST_REMOVED = 3, LEAST_MISSING = 5, NEAR = 4;
  const hasText = (node) => node.nodeType === 1 && /\\S/.test(node.textContent ?? '');
  const watchLists = () => {
    state.watcher ??= new MutationObserver((records) => {
      const removed = new Map();
      for (const { target, removedNodes } of records) {
        let rows = removed.get(target) ?? 0;
        for (const node of removedNodes) if (hasText(node)) rows += 1;
        removed.set(target, rows);
      }
      for (const [list, rows] of removed)
        if (rows >= LEAST_REMOVED && state.lists.size < MAX_LISTS && list.childElementCount >= LEAST_REMOVED && !state.lists.has(list))
          state.lists.set(list, { rows: new Map(), length: 0 });
    });
    state.watcher.observe(document, { childList: true, subtree: true });
  };
  const placesOf = (list) => {
    let offset = scrollY;
    for (let above = list; above && above !== root; above = above.parentElement) offset += above.scrollTop;
    const places = [];
    if (list.childElementCount > MAX_SHOWN) return places;
    for (const row of list.children)
      if (hasText(row)) {
        const { top, height } = row.getBoundingClientRect();
        if (height > 0) places.push({ row, place: Math.round((top + offset) / NEAR) });
      }
    return places;
  };
  const keepRows = () => {
    for (const [list, kept] of state.lists)
      for (const { row, place } of placesOf(list)) {
        const { length } = row.textContent;
        if (kept.rows.get(place)?.textContent === row.textContent) continue;
        if (kept.rows.size >= MAX_ROWS || kept.length + length > MAX_KEPT_TEXT) continue;
        kept.rows.set(place, row.cloneNode(true));
        kept.length += length;
      }
  };
  const restoreRows = () => {
    state.watcher?.disconnect();
    let restored = 0;
    for (const [list, { rows }] of state.lists) {
      const shown = placesOf(list);
      if (!list.isConnected || shown.length === 0) continue;
      const texts = new Set(shown.map(({ row }) => row.textContent));
      const last = Math.max(...shown.map(({ place }) => place));
      const missing = [...rows].filter(([place, row]) => place > last && !texts.has(row.textContent));
      if (new Set(missing.map(([, row]) => row.textContent)).size < LEAST_MISSING) continue;
      list.append(...missing.sort(([one], [other]) => one - other).map(([, row]) => row));
      restored += missing.length;
    }
    state.lists.clear();
    return restored;
  };`;

/** Adds rows that lists have removed while they were scrolled; returns their number. */
export const RESTORE_ROWS_EXPRESSION = `(() => {
  if (!globalThis.__winnowScroll?.lists.size) return 0;
${FIND_SCROLLERS}
${VIRTUAL_LISTS}
  return restoreRows();
})()`;

/**
 * Scrolls down from where the last call ended, all scrollers at once, until nothing moves or a limit is reached. Skips
 * pages without scripts (CSP sandbox), where timers never fire.
 */
export function scrollScript({ maxSteps, maxItems, maxMs }: ScrollOrder): string {
  return `(async () => {
  const STEP_MS = 40, LEAST_STEP = 200, LEAST_ITEMS = 3, until = performance.now() + ${maxMs};
  if (matchMedia('(scripting: none)').matches) return undefined;
${FIND_SCROLLERS}
${VIRTUAL_LISTS}
  const countItems = () => {
    let most = 0, walked = 0;
    const walker = document.createTreeWalker(document, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node && walked < MAX_WALKED; node = walker.nextNode()) {
      walked += 1;
      if (node.childElementCount < LEAST_ITEMS) continue;
      const counts = new Map();
      for (const { localName, classList } of node.children) {
        const kind = localName + '.' + (classList[0] ?? '');
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
      }
      most = Math.max(most, ...counts.values());
    }
    return most;
  };
  const nodes = findScrollers();
  watchLists();
  for (const node of nodes) to(node, Math.max(node.scrollTop, state.tops.get(node) ?? 0));
  state.first ??= countElements();
  let steps = 0, items = 0, isAtEnd = false;
  while (!isAtEnd && steps < ${maxSteps} && performance.now() < until) {
    isAtEnd = true;
    // Before the step: what comes while it is made may be scrolled to.
    state.elements = countElements();
    for (const node of nodes) {
      const before = node.scrollTop;
      to(node, before + Math.max(LEAST_STEP, node.clientHeight * 0.9));
      if (node.scrollTop <= before) continue;
      state.tops.set(node, node.scrollTop);
      isAtEnd = false;
    }
    if (!isAtEnd) steps += 1;
    await frame();
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    keepRows();
    if (${maxItems} < Infinity) items = countItems();
    if (items >= ${maxItems}) break;
  }
  return { steps, items, isAtEnd, gained: countElements() - state.first };
})()`;
}

export const SCROLL_BACK_SCRIPT = `(async () => {
${FIND_SCROLLERS}
  for (const node of findScrollers()) to(node, 0);
  await frame();
})()`;

/** Tests whether elements have come since, and more can be scrolled; late pictures only make a page longer. */
export const HAS_GROWN_EXPRESSION = `(() => {
  const LEAST_MORE = 200, LEAST_ELEMENTS = 3;
  if (!globalThis.__winnowScroll) return false;
${FIND_SCROLLERS}
  if (countElements() < state.elements + LEAST_ELEMENTS) return false;
  return findScrollers().some((node) => node.scrollHeight - node.clientHeight > (state.tops.get(node) ?? 0) + LEAST_MORE);
})()`;
