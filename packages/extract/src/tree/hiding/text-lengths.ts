import { codeAt } from '../code-at.ts';
import { DROPPED, TAG, TAG_FLAGS, TEXT } from '../tags.ts';
import type { Tree } from '../tree.ts';

/** Elements with more nodes are measured by sums over the page. */
const FEW_NODES = 200;
const ASCII = 0x80;

/** Measures the text of elements without the space around each piece. Reads as little of the page as it can; linear. */
export class TextLengths {
  readonly #tree: Omit<Tree, 'hidden'>;
  /** Lengths of the text before each node. */
  #before: Float64Array | undefined;
  #codeBefore: Float64Array | undefined;
  /** Length of the text before `#read`, which only moves on. */
  #length = 0;
  #read = 0;

  constructor(tree: Omit<Tree, 'hidden'>) {
    this.#tree = tree;
  }

  measure(node: number): number {
    const end = this.#tree.end[node];
    if (this.#before === undefined && end - node <= FEW_NODES) {
      let length = 0;
      for (let inner = node; inner < end; inner++) length += this.#measureNode(inner);
      return length;
    }
    const before = (this.#before ??= this.#sumUp());
    return before[end] - before[node];
  }

  /** Measures the text inside `<pre>`. */
  measureCode(node: number): number {
    const before = (this.#codeBefore ??= this.#sumUpCode());
    return before[this.#tree.end[node]] - before[node];
  }

  /** Whether an element has at least half of the page's text. */
  isMost(node: number): boolean {
    const most = 2 * this.measure(node);
    for (; this.#length <= most && this.#read < this.#tree.size; this.#read++)
      this.#length += this.#measureNode(this.#read);
    return this.#length <= most;
  }

  #sumUp(): Float64Array {
    const { size } = this.#tree;
    const before = new Float64Array(size + 1);
    for (let node = 0; node < size; node++) before[node + 1] = before[node] + this.#measureNode(node);
    return before;
  }

  #sumUpCode(): Float64Array {
    const { size, tag, end } = this.#tree;
    const before = new Float64Array(size + 1);
    let codeEnd = 0;
    for (let node = 0; node < size; node++) {
      if (tag[node] === TAG.pre) codeEnd = Math.max(codeEnd, end[node]);
      before[node + 1] = before[node] + (node < codeEnd ? this.#measureNode(node) : 0);
    }
    return before;
  }

  #measureNode(node: number): number {
    const { tag, parent, value } = this.#tree;
    if (tag[node] !== TEXT || (TAG_FLAGS[tag[parent[node]]] & DROPPED) !== 0) return 0;
    return measureTrimmed(value[node]);
  }
}

/** `text.trim().length`, without most copies. */
function measureTrimmed(text: string): number {
  let start = 0;
  let end = text.length;
  while (start < end && isPlainSpace(codeAt(text, start))) start++;
  while (end > start && isPlainSpace(codeAt(text, end - 1))) end--;
  if (start === end) return 0;
  return codeAt(text, start) < ASCII && codeAt(text, end - 1) < ASCII ? end - start : text.trim().length;
}

function isPlainSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}
