import type { PageType } from '../types/extraction.ts';
import { memoize } from '../tree/memoize.ts';
import { TAG } from '../tree/tags.ts';
import type { Tree } from '../tree/tree.ts';
import { HOLDER, LINK_WORDS, STRIDE, sumUp, TOKENS, type Blocks } from './blocks/blocks.ts';

/** Elements by a word of their class, id or role. */
interface Kind {
  readonly names: RegExp;
  /** Least words of an element: in cards, a few words on delivery or a rating are facts. */
  readonly least: number;
  /** Whether readers choose among its short texts, rather than read them. */
  readonly isControl: boolean;
}

const TIPS = ['tool-?tips?', 'info-?tips?', 'popover'];
const DELIVERY = ['delivery', 'shipping', 'versand', 'lieferung', 'livraison', 'envios?', 'spedizion[ei]', 'dostawa'];
const POLICIES = [
  'returns?',
  'policy',
  'policies',
  'warrant(?:y|ies)',
  'footnotes?',
  'size-?(?:chart|grid|guide|table)',
];
/** Other goods, and what holds for all of them. */
const OTHERS = ['recommend(?:ed|ations?)?', 'related', 'comparison', 'disclaimer'];
const REVIEWS = ['reviews?', 'bewertung(?:en)?', 'avis', 'opiniones', 'recensioni'];
const FILTERS = ['filters?', 'facets?', 'refine(?:ments?)?', 'filtres?', 'filtros?', 'filtri'];
const PAGING = ['pagination', 'pager', 'paging', 'pagenavi'];

/** Boxes about the author of an article. */
const AUTHORS = ['author-?(?:box|bio|card)', '(?:about|bio)-?(?:the-?)?author', 'bio-?box'];

const LIST_CONTROLS: readonly Kind[] = [createKind([...FILTERS, ...PAGING], 0, true)];
/** What a site shows with each article, product or list, and what readers use to choose what a list shows. */
const KINDS: Readonly<Partial<Record<PageType, readonly Kind[]>>> = {
  article: [createKind(AUTHORS, 8)],
  product: [createKind([...TIPS, ...DELIVERY, ...POLICIES, ...REVIEWS, ...OTHERS])],
  collection: [
    createKind([...TIPS, 'modal']),
    createKind([...DELIVERY, 'footnotes?'], 12),
    createKind(REVIEWS, 60),
    ...LIST_CONTROLS,
  ],
  listing: LIST_CONTROLS,
};

/** Some sites give such a name to the element around the page's content. */
const MOST_SHARE = 0.5;
const MOST_OF_CONTROL = 0.8;
const LONGEST_OPTION = 30;
/** In words; longer links are titles of products or texts. */
const LONGEST_LINK = 8;
const MAX_NAMES = 300;
/** Values repeat over a page. */
const MAX_VALUES = 10_000;

/** Marks the blocks of panels and controls around an article, the goods of a shop or the items of a list; undefined without any. */
export function findNamedPanels(tree: Tree, blocks: Blocks, pageType: PageType): Uint8Array | undefined {
  const kinds = KINDS[pageType]?.map((kind) => ({
    ...kind,
    has: memoize((value) => isIn(kind.names, value), MAX_VALUES),
  }));
  if (kinds === undefined) return undefined;
  const { before, rows, images, count } = blocks;
  const words = sumUp(count, (block) => rows[block * STRIDE + TOKENS]);
  const titles = sumUp(count, (block) => (rows[block * STRIDE + HOLDER] === TAG.h1 ? 1 : 0));
  const texts = sumUp(count, (block) =>
    rows[block * STRIDE + TOKENS] > LONGEST_OPTION || rows[block * STRIDE + LINK_WORDS] > LONGEST_LINK ? 1 : 0,
  );
  let marks: Uint8Array | undefined;
  let image = 0;
  for (let node = 1; node < tree.size; node++) {
    while (images[image] <= node) image++;
    const from = before[node];
    const to = before[tree.end[node]];
    if (tree.attributes[node] === undefined || from === to || titles[from] < titles[to]) continue;
    const size = words[to] - words[from];
    const holdsOptions = texts[from] === texts[to] && !(images[image] < tree.end[node]);
    const isPanel = kinds.some(({ has, least, isControl }) => {
      const most = isControl ? MOST_OF_CONTROL : MOST_SHARE;
      return size >= least && size <= most * words[count] && (!isControl || holdsOptions) && isNamed(tree, node, has);
    });
    if (!isPanel) continue;
    marks ??= new Uint8Array(count);
    marks.fill(1, from, to);
    node = tree.end[node] - 1;
  }
  return marks;
}

function isNamed(tree: Tree, node: number, has: (value: string) => boolean): boolean {
  for (const { name, value } of tree.attributes[node] ?? [])
    if ((name === 'class' || name === 'id' || name === 'role') && has(value)) return true;
  return false;
}

function isIn(names: RegExp, value: string): boolean {
  return names.test(value.slice(0, MAX_NAMES));
}

/** @param words in lower case; names may join them with capitals. Goods may be `shipping-taxable`, and open a `tooltip`. */
function createKind(words: readonly string[], least = 0, isControl = false): Kind {
  const cased = words.map((word) =>
    word.replaceAll(/[a-z]+/g, ([first, ...rest]) => `[${first}${first.toUpperCase()}]${rest.join('')}`),
  );
  const names = new RegExp(`(?:^|[^A-Za-z]|[a-z](?=[A-Z]))(?:${cased.join('|')})(?![a-z]|-taxable|-?[Tt]rigger)`);
  return { names, least, isControl };
}
