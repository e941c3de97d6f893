import type { Token } from 'parse5';
import { codeAt } from '../code-at.ts';
import { indexLengths, mayBeName } from '../name-lengths.ts';
import { BLOCK, TAG, TAG_FLAGS, TEXT } from '../tags.ts';
import { LightNode } from './light-tree-adapter.ts';

const MAX_TEX = 20_000;
const MAX_NAME = 2_000;
const MAX_NODES = 2_000;

/** Images of formulas by their class, and by their address: services that draw TeX. */
const IMAGE_CLASS = /(?:^|\s)(?:(?:wp-)?latex(?:[-_](?:image|img|inline|display))?|tex|ql-img-\w+-formula)(?:\s|$)/i;
const WEAK_IMAGE_CLASS = /(?:^|[\s_-])(?:math|formula|equation)s?(?:$|[\s_-])/i;
const IMAGE_SOURCE =
  /latex\.php\?|codecogs\.com\/|quicklatex\.com\/|(?:mime|math)tex(?:\.cgi)?\?|latex\.artofproblemsolving\.com\/|\/render\/math\?|\/equation\?tex=|[?&]cht=tx(?:&|$)|[?&]latex=/i;
const SOURCE_TEX = /[?&](?:latex|tex|chl|math)=([^&#]{1,6000})/i;
const CODECOGS_TEX = /codecogs\.com\/[\w.]{1,20}\?(.{1,6000})$/i;
const LOOKS_LIKE_TEX = /[\\^_={}]/;
const DELIMITERS = /^(?:\$\$([^]*)\$\$|\$([^]*)\$|\\\(([^]*)\\\)|\\\[([^]*)\\\])$/;
const DISPLAYED = /displayed|display|block/i;

const TEX_ATTRIBUTES: ReadonlySet<string> = new Set(
  'data-tex data-latex data-tex-source data-latex-source data-equation-content'.split(' '),
);
const WEAK_TEX_ATTRIBUTES: ReadonlySet<string> = new Set(['data-math', 'data-expr', 'data-formula', 'data-equation']);
const MAY_HAVE_TEX: ReadonlySet<string> = new Set([
  ...TEX_ATTRIBUTES,
  ...WEAK_TEX_ATTRIBUTES,
  'data-value',
  'data-attrs',
]);
const TEX_LENGTHS = indexLengths(MAY_HAVE_TEX);
/** Editors keep the source of a formula as its value. */
const VALUE_CLASS = /(?:^|\s)(?:ql-formula|mq-\w+|math-?field)(?:\s|$)/;
const SWITCH = /^(?:true|false|inline|block|display|yes|no|on|off)?$/i;
const LONE_LETTER = /^\s*[a-z]\s*$/i;
const SUBSTACK = /"persistentExpression"\s*:\s*("(?:[^"\\]|\\[^]){0,20000}")/;
/** Elements in which MathJax 2 to 4 display a formula. */
const RENDERED = /(?:^|\s)(?:MathJax(?:_(?:SVG|CHTML))?|mjx-chtml|mjx-container)(?:\s|$)/;
const PREVIEW = /(?:^|\s)MathJax_Preview(?:\s|$)/;

/**
 * Makes an element that displays a formula a `<math>`: images, empty elements and scripts with TeX, and MathJax's output,
 * whose own `<math>` is hidden. The children are not visited yet.
 */
export function restoreFormula(node: LightNode): void {
  if (node.kind <= TEXT || (node.attributes.length === 0 && node.value !== 'mjx-container')) return;
  if (node.kind === TAG.img) restoreImage(node);
  else if (node.kind === TAG.script) restoreScript(node);
  else if (mayBeFormula(node) && !restoreRendered(node) && !restoreDelimited(node)) restoreAttribute(node);
}

/** A quick test: most elements display no formula. */
function mayBeFormula({ value: tag, attributes }: LightNode): boolean {
  for (const { name, value } of attributes)
    if (name === 'class') {
      if (value.includes('MathJax') || value.includes('mjx') || value.includes('math') || value.includes('tex'))
        return true;
    } else if (mayBeName(TEX_LENGTHS, codeAt(name, 0), name.length) && MAY_HAVE_TEX.has(name)) return true;
  return tag === 'mjx-container';
}

function restoreImage(node: LightNode): void {
  const classes = read(node, 'class');
  const source = read(node, 'src') || read(node, 'data-src');
  const alt = (read(node, 'alt').trim() || read(node, 'title').trim()).replace(/^LaTeX:\s*/i, '');
  if (source.length > MAX_NAME * 4 || classes.length > MAX_NAME) return;
  if (IMAGE_SOURCE.test(source)) writeTex(node, alt || readSource(source), DISPLAYED.test(classes));
  else if (IMAGE_CLASS.test(classes) || (WEAK_IMAGE_CLASS.test(classes) && LOOKS_LIKE_TEX.test(alt)))
    writeTex(node, alt, DISPLAYED.test(classes));
}

function readSource(source: string): string {
  const encoded = (SOURCE_TEX.exec(source) ?? CODECOGS_TEX.exec(source))?.[1] ?? '';
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch {
    return '';
  }
}

function restoreScript(node: LightNode): void {
  const type = read(node, 'type');
  if (!type.startsWith('math/tex')) return;
  let tex = '';
  for (let child = node.firstChild; child !== null; child = child.next) tex += child.value;
  writeTex(node, tex.replace(/^\s*(?:%\s*)?<!\[CDATA\[|(?:%\s*)?\]\]>\s*$/g, ''), DISPLAYED.test(type));
}

/** Whether a script has the TeX of a displayed formula before it: MathJax 2 leaves it there. */
function hasScript(node: LightNode): boolean {
  const outer = node.previous === null && node.next === null ? node.parent : null;
  const next = node.next ?? outer?.next;
  return next?.kind === TAG.script && read(next, 'type').startsWith('math/tex');
}

function restoreRendered(node: LightNode): boolean {
  const classes = read(node, 'class');
  const isContainer = node.value === 'mjx-container';
  if (classes.length < MAX_NAME && PREVIEW.test(classes)) node.firstChild = node.lastChild = null;
  if (!isContainer && !(classes.length < MAX_NAME && RENDERED.test(classes))) return false;
  if (hasScript(node)) {
    node.firstChild = node.lastChild = null;
    return true;
  }
  const math = find(node, (inner) => inner.kind === TAG.math);
  if (math === undefined) {
    const hasTex = (inner: LightNode): boolean => inner.kind > TEXT && read(inner, 'data-latex') !== '';
    const source = hasTex(node) ? node : find(node, hasTex);
    if (source !== undefined) writeTex(node, read(source, 'data-latex'), read(node, 'display') === 'true');
    return true;
  }
  if (read(node, 'display') === 'true') math.attributes = [...math.attributes, { name: 'display', value: 'block' }];
  math.parent = node;
  math.next = math.previous = null;
  node.firstChild = node.lastChild = math;
  return true;
}

/** Elements whose text scripts replace by a formula: `<span class="math inline">\\(x\\)</span>`. */
const DELIMITED = /(?:^|[\s_-])(?:math|arithmatex|(?:la)?tex)(?:$|[\s_-])/i;

function restoreDelimited(node: LightNode): boolean {
  const text = node.firstChild;
  if (text === null || text.kind !== TEXT || text.next !== null || text.value.length > MAX_TEX) return false;
  const classes = read(node, 'class');
  if (classes.length > MAX_NAME || !DELIMITED.test(classes) || !DELIMITERS.test(text.value.trim())) return false;
  writeTex(node, text.value, false);
  return true;
}

/** The first inner node in document order. */
function find(node: LightNode, isWanted: (inner: LightNode) => boolean): LightNode | undefined {
  let inner = node.firstChild;
  for (let step = 0; step < MAX_NODES && inner !== null; step++) {
    if (isWanted(inner)) return inner;
    if (inner.firstChild !== null) {
      inner = inner.firstChild;
      continue;
    }
    while (inner.next === null) {
      inner = inner.parent!;
      if (inner === node) return undefined;
    }
    inner = inner.next;
  }
  return undefined;
}

function restoreAttribute(node: LightNode): void {
  if (node.kind === TAG.math || node.kind === TAG.html || node.kind === TAG.body) return;
  for (const { name, value } of node.attributes) {
    const isTex = TEX_ATTRIBUTES.has(name) && !SWITCH.test(value.trim());
    const isWeak = WEAK_TEX_ATTRIBUTES.has(name) || (name === 'data-value' && VALUE_CLASS.test(read(node, 'class')));
    const isLikely = isWeak && (LOOKS_LIKE_TEX.test(value) || LONE_LETTER.test(value));
    const source = isTex || isLikely ? value : name === 'data-attrs' ? readExpression(value) : '';
    if (source === '' || source.startsWith('{"') || holdsBlock(node)) continue;
    writeTex(node, source, (TAG_FLAGS[node.kind] & BLOCK) !== 0);
    return;
  }
}

function readExpression(json: string): string {
  const found = json.length > MAX_TEX * 2 ? undefined : SUBSTACK.exec(json)?.[1];
  if (found === undefined) return '';
  try {
    return String(JSON.parse(found));
  } catch {
    return '';
  }
}

/** An element around paragraphs is no formula. */
function holdsBlock({ firstChild }: LightNode): boolean {
  for (let child = firstChild; child !== null; child = child.next) {
    if (child.kind > TEXT && child.kind !== TAG.div && (TAG_FLAGS[child.kind] & BLOCK) !== 0) return true;
  }
  return false;
}

/** The text child lets formulas count as words of their block. */
function writeTex(node: LightNode, source: string, isDisplayed: boolean): void {
  const tex = source.trim();
  if (tex === '' || tex.length > MAX_TEX) return;
  const parts = DELIMITERS.exec(tex);
  const inner = parts === null ? tex : (parts.slice(1).find((part) => part !== undefined) ?? tex);
  const isBlock = isDisplayed || tex.startsWith('$$') || tex.startsWith('\\[');
  const own: Token.Attribute[] = [{ name: 'alttext', value: inner.trim() }];
  if (isBlock) own.push({ name: 'display', value: 'block' });
  node.attributes = [...node.attributes.filter(({ name }) => name !== 'alt' && name !== 'display'), ...own];
  node.kind = TAG.math;
  node.value = 'math';
  const text = new LightNode(TEXT, inner.trim(), node.namespace, []);
  text.parent = node;
  node.firstChild = node.lastChild = text;
}

function read(node: LightNode, name: string): string {
  for (const attribute of node.attributes) if (attribute.name === name) return attribute.value;
  return '';
}
