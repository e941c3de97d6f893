const UNRENDERED_ATTRIBUTE = 'data-winnow-unrendered';

/** Their style says nothing about their text, or readers open them. */
const NEVER_MARKED = 'head,script,style,noscript,template,rp,select,datalist,audio,video,canvas,object,iframe';

/** Content visibility ignores them, and reading their styles would double the time. */
const INLINE = 'a,abbr,b,bdi,cite,code,em,font,i,label,mark,q,s,small,span,strong,sub,sup,time,u,br,wbr,img,input';

const MAX_MARKS = 10_000;
const MAX_WALKED = 200_000;

/**
 * Finds the topmost unrendered elements with text in the document, open shadow roots and accessible frames, and marks
 * set by the page itself.
 *
 * Takes methods from prototypes: named form controls shadow them even in isolated worlds.
 */
export function findUnrendered(withinMs: number): string {
  return `(() => {
  const NAME = '${UNRENDERED_ATTRIBUTE}', MAX_MARKS = ${MAX_MARKS}, MAX_WALKED = ${MAX_WALKED};
  const until = performance.now() + ${withinMs};
  const NEVER = new Set('${NEVER_MARKED}'.split(','));
  const INLINE = new Set('${INLINE}'.split(','));
  const { call } = Function.prototype;
  const method = (type, name) => call.bind(type.prototype[name]);
  const getter = (type, name) => call.bind(Object.getOwnPropertyDescriptor(type.prototype, name).get);
  const isShown = method(Element, 'checkVisibility'), getAttribute = method(Element, 'getAttribute');
  const nameOf = getter(Element, 'localName'), spaceOf = getter(Element, 'namespaceURI');
  const textOf = getter(Node, 'textContent'), parentOf = getter(Node, 'parentElement');
  const shadowOf = getter(Element, 'shadowRoot'), firstChildOf = getter(Element, 'firstElementChild');
  const typeOf = getter(Node, 'nodeType'), contains = method(Node, 'contains');
  const frameDocumentOf = getter(HTMLIFrameElement, 'contentDocument');
  const walkerOf = method(Document, 'createTreeWalker');
  const VISIBLE = { opacityProperty: true, visibilityProperty: true };
  const hasText = (node) => /\\S/.test(textOf(node));
  const isAnimated = (style) => style.transform !== 'none' || style.animationName !== 'none'
    || /[1-9]/.test(style.transitionDuration);
  const found = [], forged = [], roots = [document];
  let walked = 0;
  const isOver = () => found.length >= MAX_MARKS || walked > MAX_WALKED || (walked % 64 === 0 && performance.now() > until);

  const skipsContent = (node, style) => style.contentVisibility === 'hidden' && style.display !== 'inline'
    && getAttribute(node, 'hidden') !== 'until-found';
  // Hides the whole subtree, unlike visibility, which descendants can override.
  const isGone = (node, style) => style.display === 'none' || (style.opacity === '0' && !isAnimated(style))
    || skipsContent(node, style);

  const skipSubtree = (walker) => {
    for (;;) {
      if (walker.nextSibling()) return walker.currentNode;
      if (!walker.parentNode()) return null;
    }
  };
  // Visible elements and their ancestors inside an element with visibility: hidden.
  const findHolders = (top) => {
    const holders = new Set();
    const walker = walkerOf(document, top, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      walked += 1;
      if (isOver()) return undefined;
      if (!isShown(node, VISIBLE)) continue;
      for (let holder = node; holder !== top && !holders.has(holder); holder = parentOf(holder)) holders.add(holder);
      holders.add(top);
    }
    return holders;
  };
  const visit = (root) => {
    const walker = walkerOf(document, root, NodeFilter.SHOW_ELEMENT);
    let holders, holdersEnd = null;
    let node = walker.nextNode();
    while (node) {
      walked += 1;
      if (isOver()) return;
      if (spaceOf(node) !== 'http://www.w3.org/1999/xhtml') { node = skipSubtree(walker); continue; }
      const name = nameOf(node);
      if (name === 'iframe') {
        const inner = frameDocumentOf(node);
        if (inner && isShown(node)) roots.push(inner);
      }
      if (NEVER.has(name)) { node = skipSubtree(walker); continue; }
      const shadow = shadowOf(node);
      if (shadow) roots.push(shadow);
      const isPlain = isShown(node, VISIBLE);
      // An element that skips its content is itself rendered.
      if (name !== 'body' && name !== 'html' && (!isPlain || (!INLINE.has(name) && firstChildOf(node) === null))) {
        const style = getComputedStyle(node);
        let isMarked = isPlain ? skipsContent(node, style) : isGone(node, style);
        if (!isMarked && !isPlain && (style.visibility === 'hidden' || style.visibility === 'collapse')) {
          if (holdersEnd === null || !contains(holdersEnd, node)) { holders = findHolders(node); holdersEnd = node; }
          if (holders === undefined) return;
          isMarked = !holders.has(node);
        } else if (!isMarked && !isPlain) {
          const parent = parentOf(node);
          const above = parent && nameOf(parent) !== 'body' ? getComputedStyle(parent) : undefined;
          if (above?.contentVisibility === 'hidden' && isGone(parent, above)) { node = walker.parentNode(); isMarked = true; }
        }
        if (isMarked) {
          if (hasText(node)) found.push(node);
          node = skipSubtree(walker);
          continue;
        }
      }
      node = walker.nextNode();
    }
  };
  // Visits append shadow roots and frames.
  for (let at = 0; at < roots.length; at += 1) {
    const root = roots[at];
    const type = typeOf(root) === Node.DOCUMENT_NODE ? Document : DocumentFragment;
    for (const node of method(type, 'querySelectorAll')(root, '[' + NAME + ']')) forged.push([node, getAttribute(node, NAME)]);
    if (!isOver()) visit(root);
  }
  globalThis.__winnowMarks = { found, forged, roots };
  return found.length > 0 || forged.length > 0;
})()`;
}

export const APPLY_MARKS_SCRIPT: string = `(() => {
  const marks = globalThis.__winnowMarks;
  if (!marks) return;
  for (const [node] of marks.forged) Reflect.apply(Element.prototype.removeAttribute, node, ['${UNRENDERED_ATTRIBUTE}']);
  for (const node of marks.found) Reflect.apply(Element.prototype.setAttribute, node, ['${UNRENDERED_ATTRIBUTE}', '']);
  marks.isTouched = false;
  marks.observer = new MutationObserver(() => { marks.isTouched = true; });
  const changes = { subtree: true, childList: true, characterData: true, attributeFilter: ['${UNRENDERED_ATTRIBUTE}'] };
  for (const root of marks.roots) marks.observer.observe(root, changes);
})()`;

/** Returns false if the page changed itself meanwhile. */
export const REMOVE_MARKS_SCRIPT: string = `(() => {
  const marks = globalThis.__winnowMarks;
  if (!marks?.observer) return true;
  const isWhole = marks.observer.takeRecords().length === 0 && !marks.isTouched;
  marks.observer.disconnect();
  for (const node of marks.found) Reflect.apply(Element.prototype.removeAttribute, node, ['${UNRENDERED_ATTRIBUTE}']);
  for (const [node, value] of marks.forged)
    Reflect.apply(Element.prototype.setAttribute, node, ['${UNRENDERED_ATTRIBUTE}', value]);
  delete globalThis.__winnowMarks;
  return isWhole;
})()`;
