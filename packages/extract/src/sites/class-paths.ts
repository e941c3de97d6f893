import { ELEMENT, STRIDE, type Blocks } from '../content/blocks/blocks.ts';
import { hashWord } from '../content/words/word-families.ts';
import { TAG } from '../tree/tags.ts';
import { getAttribute, type Tree } from '../tree/tree.ts';

const LONGEST_NAMES = 300;
/** Names that number a post or a widget, were generated, or say what one page is about or which state it is in. */
const PASSING = /\d|^(?:category|tag|author|status|format|is|has)-/;
const BASE = 1000003;

/**
 * Hashes of the class paths of blocks: the names, lasting classes and ids of all elements between `<body>` and the block's
 * text. One pass over the elements.
 */
export function hashClassPaths(tree: Tree, blocks: Blocks): Uint32Array {
  const paths = new Uint32Array(blocks.count);
  const names = new Map<string, number>();
  const byNode = new Int32Array(tree.size);
  const isKnown = new Uint8Array(tree.size);
  isKnown[0] = 1;
  const open: number[] = [];
  for (let block = 0; block < blocks.count; block++) {
    let node = blocks.rows[block * STRIDE + ELEMENT];
    for (; isKnown[node] === 0; node = tree.parent[node]) open.push(node);
    let path = byNode[node];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      path = tree.tag[at] === TAG.body ? 0 : (Math.imul(path, BASE) + hashElement(tree, at, names)) | 0;
      byNode[at] = path;
      isKnown[at] = 1;
    }
    paths[block] = path >>> 0;
  }
  return paths;
}

function hashElement(tree: Tree, node: number, known: Map<string, number>): number {
  let hash = hashWord(tree.value[node]);
  if (tree.attributes[node] === undefined) return hash;
  for (const name of ['class', 'id'])
    hash = (Math.imul(hash, BASE) + hashNames(getAttribute(tree, node, name) ?? '', known)) | 0;
  return hash;
}

/** Neither the order of names nor their repetition counts. */
function hashNames(text: string, known: Map<string, number>): number {
  const names = text.slice(0, LONGEST_NAMES);
  let hash = known.get(names);
  if (hash !== undefined) return hash;
  hash = 0;
  for (const name of new Set(names.split(/\s+/)))
    if (name !== '' && !PASSING.test(name)) hash = (hash + hashWord(name)) | 0;
  known.set(names, hash);
  return hash;
}
