import { BLOCK, markTags, TAG, TAG_FLAGS, TEXT } from '../tags.ts';
import { getAttribute, getTextContent, type Attribute, type Tree } from '../tree.ts';

export interface CodeTree extends Omit<Tree, 'hidden' | 'value'> {
  readonly value: string[];
}

/** Elements of editors and highlighters around lines of code. */
const EDITOR =
  /(?:^|\s)(?:cm-content|CodeMirror-code|view-lines|ace_text-layer|blob-wrapper|gist-data|crayon-pre)(?:\s|$)/;
const LINE = /(?:^|\s)(?:(?:code|token|view)-?)?line(?:\s|$)/i;
const VERBATIM = /(?:^|[;\s])white-space\s*:\s*(?:pre(-wrap)?|break-spaces())\s*(?:[;!]|$)/i;
const MONOSPACED = /font(?:-family)?\s*:[^;]{0,200}\b(?:mono(?:space)?|courier|consolas|menlo|monaco)/i;
const MAX_NAME = 2_000;
const MAX_LINES = 2_000;
const PROSE = markTags('p', 'li', 'table', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'section', 'article', 'pre', 'form');

/** The code of editors and of elements styled like `<pre>` becomes `<pre>`. */
export function restoreCode(tree: CodeTree): void {
  for (let node = 1; node < tree.size; node++) {
    if (MAYBE_CODE[tree.tag[node]] === 0) continue;
    if (tree.tag[node] === TAG.pre) {
      breakLines(tree, node);
      node = tree.end[node] - 1;
    } else if (isCode(tree, node)) {
      tree.tag[node] = TAG.pre;
      tree.value[node] = 'pre';
      node = tree.end[node] - 1;
    }
  }
}

const MAYBE_CODE = markTags('code', 'div', 'ol', 'p', 'pre');

function isCode(tree: CodeTree, node: number): boolean {
  const code = tree.tag[node];
  if (code === TAG.ol) return holdsLines(tree, node);
  if (code === TAG.code && isBroken(tree, node)) return true;
  for (const { name, value } of tree.attributes[node] ?? []) {
    if (name === 'class' && code === TAG.div && isEditor(tree, node, value)) return true;
    if (name === 'style' && isVerbatim(code, value) && !holdsProse(tree, node)) return true;
  }
  return false;
}

function isEditor(tree: CodeTree, node: number, classes: string): boolean {
  if (classes.length >= MAX_NAME) return false;
  // SyntaxHighlighter has no better name.
  const isListing = classes === 'container' && getAttribute(tree, tree.parent[node], 'class') === 'code';
  return isListing || EDITOR.test(classes);
}

/** Whether the items of a list are lines of code, some of them indented: others are commands. */
function holdsLines({ tag, end, value }: CodeTree, list: number): boolean {
  let isIndented = false;
  for (let item = list + 1; item < end[list]; item = end[item]) {
    if (tag[item] === TEXT && !INK.test(value[item])) continue;
    const code = item + 1;
    if (tag[item] !== TAG.li || tag[code] !== TAG.code || end[code] !== end[item]) return false;
    let text = code + 1;
    while (text < end[code] && tag[text] !== TEXT) text++;
    isIndented ||= text < end[code] && INDENT.test(value[text]);
  }
  return isIndented;
}

const INDENT = /^(?:\t|[ \u00a0]{2})/;

/** Whether a `<code>` with line breaks stands between blocks. */
function isBroken({ tag, end, parent, value }: CodeTree, node: number): boolean {
  const last = Math.min(end[node], node + MAX_LINES);
  const first = tag.subarray(node, last).indexOf(TAG.br);
  if (first < 0) return false;
  for (let child = parent[node] + 1; child < end[parent[node]]; child = end[child])
    if (child !== node && (tag[child] === TEXT ? INK.test(value[child]) : (TAG_FLAGS[tag[child]] & BLOCK) === 0))
      return false;
  return true;
}

/** Ends lines of code that only a style sheet parts. */
function breakLines({ tag, end, value, attributes }: CodeTree, pre: number): void {
  let text = -1;
  let isEnded = true;
  let lineEnd = -1;
  for (let node = pre + 1; node < end[pre]; node++) {
    const code = tag[node];
    if (code === TEXT) {
      text = node;
      isEnded = value[node].endsWith('\n');
    } else if ((TAG_FLAGS[code] & BLOCK) !== 0 || code === TAG.br) isEnded = true;
    else if (attributes[node] !== undefined && node >= lineEnd && LINE.test(readClasses(attributes[node] ?? []))) {
      if (!isEnded && text >= 0) value[text] += '\n';
      isEnded = lineEnd < 0;
      lineEnd = end[node];
    }
  }
}

function readClasses(attributes: readonly Attribute[]): string {
  const classes = attributes.find(({ name }) => name === 'class')?.value ?? '';
  return classes.length < MAX_NAME ? classes : '';
}

/** Text with kept line ends may also be a message: only a fixed width makes it code. */
function isVerbatim(code: number, style: string): boolean {
  if (style.length > MAX_NAME || !style.includes(':')) return false;
  const kind = VERBATIM.exec(style);
  if (kind === null) return false;
  if (code === TAG.code || MONOSPACED.test(style)) return true;
  return code === TAG.div && (kind[1] ?? kind[2]) === undefined;
}

function holdsProse(tree: CodeTree, node: number): boolean {
  const end = Math.min(tree.end[node], node + MAX_LINES);
  for (let inner = node + 1; inner < end; inner++) if (PROSE[tree.tag[inner]] === 1) return true;
  return false;
}

const HIDES = 1;
const INK = /\S/;
const NUMBERS = /^[\s\d]*$/;
const NUMBERS_NAME =
  /(?:^|[\s_-])(?:line-?(?:no|nos|num|nums|number|numbers)|linenumber|linenos?|lnt?|gutters?|blob-num)(?:$|[\s_-])/i;
const COPY =
  /^(?:copy|copied!?|copy (?:code|to clipboard)|expand|collapse|download|run|raw|kopieren|copier|copiar|复制|コピー|view raw|hosted with \S{1,2} by|github)$/i;
const LANGUAGES =
  /^(?:bash|c|c\+\+|c#|cpp|css|diff|docker(?:file)?|go|graphql|html|http|ini|java(?:script)?|jsx?|json|kotlin|lua|php|plaintext|powershell|py(?:thon)?|r|rb|ruby|rs|rust|scss|sh|shell(?:-session)?|sql|swift|text|toml|tsx?|typescript|vue|xml|ya?ml|zsh|console|terminal)$/i;
const MAX_LABEL = 40;
const MAX_TOOLS = 60;
const MAX_UP = 2;
const MAX_SIBLINGS = 8;
const TOOLS = markTags('button', 'select', 'label');
const CELLS = markTags('code', 'table', 'tbody', 'td', 'tr');

/**
 * Marks what pages add to code as hidden: buttons and line numbers inside `<pre>`, and buttons and names of languages in
 * the bars beside it. Linear: each `<pre>` is read once, and few nodes beside it.
 */
export function hideCodeTools(tree: Tree): Tree {
  let pre = tree.tag.indexOf(TAG.pre);
  if (pre < 0) return tree;
  const finder = new ToolFinder(tree);
  for (; pre >= 0; pre = tree.tag.indexOf(TAG.pre, tree.end[pre])) finder.read(pre);
  return finder.hidden === tree.hidden ? tree : { ...tree, hidden: finder.hidden };
}

class ToolFinder {
  hidden: Uint8Array;
  readonly #tree: Tree;

  constructor(tree: Tree) {
    this.#tree = tree;
    this.hidden = tree.hidden;
  }

  read(pre: number): void {
    const { tag, end, attributes, parent } = this.#tree;
    for (let node = pre + 1; node < end[pre]; node++) {
      if (tag[node] === TAG.button) node = this.#hide(node);
      else if (tag[node] !== TEXT && attributes[node] !== undefined && this.#isNumbers(node)) node = this.#hide(node);
    }
    let inner = pre;
    for (let step = 0; step < MAX_UP && parent[inner] > 0; step++) {
      let around = parent[inner];
      // Listings with line numbers are tables.
      for (; CELLS[tag[around]] === 1; around = parent[around]) inner = around;
      if (!this.#isWrapper(around, inner)) break;
      inner = around;
    }
  }

  /** Hides the tools of an element that holds code and its bars only. */
  #isWrapper(around: number, code: number): boolean {
    const { end, tag, value } = this.#tree;
    const bars: number[] = [];
    let count = 0;
    for (let child = around + 1; child < end[around]; child = end[child]) {
      if (++count > MAX_SIBLINGS) return false;
      if (child === code || (tag[child] === TEXT && !INK.test(value[child]))) continue;
      if (tag[child] === TEXT || tag[child] === TAG.pre) return false;
      if (this.#isNumbers(child)) this.#hide(child);
      else if (end[child] - child > MAX_TOOLS) return false;
      else bars.push(child);
    }
    if (bars.length === 0) return true;
    const labels = bars.flatMap((bar) => this.#listLabels(bar));
    if (labels.some((label) => label.length > MAX_LABEL)) return false;
    for (const bar of bars) this.#hideLabels(bar);
    return true;
  }

  #listLabels(bar: number): string[] {
    const { end, tag, value } = this.#tree;
    const labels: string[] = [];
    for (let node = bar; node < end[bar]; node++) {
      if (tag[node] === TEXT && INK.test(value[node])) labels.push(value[node].trim());
    }
    return labels;
  }

  #hideLabels(bar: number): void {
    const { end, tag, parent, value } = this.#tree;
    for (let node = bar; node < end[bar]; node++) {
      if (TOOLS[tag[node]] === 1) node = this.#hide(node);
      else if (tag[node] === TEXT && isLabel(value[node])) this.#hide(parent[node]);
    }
  }

  #isNumbers(node: number): boolean {
    const names = getAttribute(this.#tree, node, 'class') ?? '';
    if (names === '' || names.length > MAX_NAME || !NUMBERS_NAME.test(names)) return false;
    return NUMBERS.test(getTextContent(this.#tree, node));
  }

  /** Returns the last hidden node. */
  #hide(node: number): number {
    const last = this.#tree.end[node] - 1;
    if (this.hidden === this.#tree.hidden) {
      this.hidden = new Uint8Array(this.#tree.size);
      this.hidden.set(this.#tree.hidden);
    }
    this.hidden.fill(HIDES, node, last + 1);
    return last;
  }
}

function isLabel(text: string): boolean {
  const label = text.trim();
  return label !== '' && label.length <= MAX_LABEL && (COPY.test(label) || LANGUAGES.test(label));
}
