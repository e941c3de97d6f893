import type { Tree } from '../tree/tree.ts';
import { HEADING, TAG_FLAGS } from '../tree/tags.ts';
import { readBlockText } from './blocks/block-text.ts';
import { HOLDER, LINK_WORDS, LINKS, STRIDE, TOKENS, WORDS, WORDS_KEPT, type Blocks } from './blocks/blocks.ts';
import type { Scopes } from './blocks/scopes.ts';
import { hashWords } from './words/word-families.ts';

/** Headings of lists of other texts or products of the site. "Further reading" and "See also" are content. */
const TITLE: RegExp = new RegExp(
  `^[^\\p{L}\\p{N}]{0,4}(?:${[
    "related (?:posts?|articles?|stories|news|content|reading|coverage|products?|items?)|you (?:may|might|will|[’']ll) also (?:like|enjoy|love|be interested in)",
    '(?:what to )?read next|up next|keep reading|more stories|more like this|recommended (?:for you|articles?|stories|posts?)|similar (?:posts?|articles?|stories|products?|items?)|(?:people|customers|readers|others) also (?:read|liked|viewed|bought)',
    'we (?:also |highly )?recommend|also recommended|frequently bought together|recently viewed(?: (?:products|items))?|customers who (?:bought|viewed) this (?:item|product)? ?also (?:bought|viewed)',
    'wird oft zusammen gekauft|kunden (?:kauften|kaufen|interessierten) (?:sich )?auch|zuletzt angesehen(?:e (?:artikel|produkte))?|(?:souvent|fréquemment) achetés ensemble|(?:produits )?(?:récemment (?:consultés|vus)|vus récemment)|les clients ont (?:aussi|également) (?:acheté|consulté)',
    '(?:otros clientes|los clientes) también (?:compraron|vieron)|comprados juntos habitualmente|vistos recientemente|visti di recente|spesso (?:acquistati|comprati) insieme|anderen (?:bekeken|kochten) ook|(?:laatst|recent) bekeken|ostatnio (?:oglądane|przeglądane)|с этим товаром (?:также )?покупают|(?:вы|недавно) (?:недавно )?(?:смотрели|просмотренные)',
    'ähnliche (?:artikel|beiträge|produkte)|verwandte (?:artikel|beiträge|themen)|das könnte (?:sie|dich|ihnen|dir) auch (?:interessieren|gefallen)|auch interessant|mehr zum thema|weitere (?:artikel|beiträge|meldungen)|lesen sie auch',
    '(?:articles|contenus|produits|billets) (?:similaires|connexes|liés|associés)|(?:à )?lire (?:aussi|également)|vous aimerez (?:peut-être )?aussi|sur le même (?:sujet|thème)',
    '(?:artículos|noticias|entradas|productos|notas) relacionad[oa]s|(?:también )?te puede interesar|lea también|(?:artigos|notícias|posts|produtos) relacionad[oa]s|(?:leia|veja) também',
    '(?:articoli|prodotti|notizie) (?:correlat[ie]|simili)|leggi anche|potrebbe(?:ro)? (?:anche )?interessarti(?: anche)?|lees ook|gerelateerde (?:artikelen|berichten|producten)|läs också|les også|læs også',
    'zobacz (?:także|również|też)|podobne (?:artykuły|wpisy|produkty)|читайте также|похожие (?:статьи|записи|товары|новости)|материалы по теме',
    '関連(?:記事|商品|ニュース)|あわせて読みたい|相关(?:文章|阅读|新闻|推荐)|相關(?:文章|閱讀|新聞)|관련 ?(?:기사|상품|글)',
  ].join('|')})[^\\p{L}\\p{N}]{0,4}$`,
  'iu',
);
const FIRST_WORDS: ReadonlySet<number> = hashWords(
  'we also frequently wird kunden zuletzt souvent fréquemment récemment vus les otros los comprados vistos visti spesso ' +
    'anderen laatst recent recently ostatnio с С вы Вы недавно Недавно related you what read up keep more recommended similar people customers readers others ähnliche verwandte das auch mehr ' +
    'weitere lesen articles contenus produits billets à lire vous sur artículos noticias entradas productos notas también te lea ' +
    'artigos notícias posts produtos leia veja articoli prodotti notizie leggi potrebbe potrebbero lees gerelateerde läs les læs ' +
    'zobacz podobne читайте Читайте похожие Похожие материалы Материалы 関連記事 関連商品 関連ニュース あわせて読みたい 相关文章 ' +
    '相关阅读 相关新闻 相关推荐 相關文章 相關閱讀 相關新聞 관련 관련기사 관련상품 관련글',
);
const MAX_TITLE = 8;
const MAX_TITLES = 20;
/** A paragraph beside the title with this many words goes on with the text. */
const PROSE = 15;
/** Least share of blocks of the section with links. */
const LEAST_LINKED = 0.3;

/** Marks the blocks of sections that lead to other texts; undefined if there is none. */
export function findRelatedSections(tree: Tree, blocks: Blocks, scopes: Scopes): Uint8Array | undefined {
  const { rows, firstWords, count } = blocks;
  let marks: Uint8Array | undefined;
  let titles = 0;
  let before = 0;
  for (let block = 0; block < count && titles < MAX_TITLES; block++) {
    const words = rows[block * STRIDE + TOKENS];
    if (words <= MAX_TITLE && FIRST_WORDS.has(firstWords[block * WORDS_KEPT]) && isTitle(tree, blocks, block)) {
      titles++;
      const end = findEnd(blocks, scopes, block);
      if (isTeasers(blocks, block + 1, end, before)) {
        marks ??= new Uint8Array(count);
        marks.fill(1, block, end);
        block = end - 1;
        continue;
      }
    }
    before += words;
  }
  return marks;
}

function isTitle(tree: Tree, blocks: Blocks, block: number): boolean {
  return blocks.rows[block * STRIDE + LINKS] === 0 && TITLE.test(readBlockText(tree, blocks, block));
}

/** One past the last block below a title: to the end of its element, the next heading as high, or the next paragraph. */
function findEnd({ rows }: Blocks, { parent, leaf, from, to }: Scopes, title: number): number {
  let section = leaf[title];
  while (parent[section] >= 0 && to[section] === title + 1) section = parent[section];
  const holder = rows[title * STRIDE + HOLDER];
  const isHeading = (TAG_FLAGS[holder] & HEADING) !== 0;
  const isWhole = from[section] === title;
  let block = title + 1;
  for (; block < to[section]; block++) {
    const row = block * STRIDE;
    const tag = rows[row + HOLDER];
    const isBeside = parent[leaf[block]] === section;
    // Codes of headings are in their order.
    if (!isWhole && (TAG_FLAGS[tag] & HEADING) !== 0 && (isHeading ? tag <= holder : isBeside)) break;
    if (isBeside && rows[row + WORDS] >= PROSE && rows[row + LINK_WORDS] * 2 < rows[row + WORDS]) break;
  }
  return block;
}

function isTeasers({ rows }: Blocks, from: number, to: number, before: number): boolean {
  let linked = 0;
  let words = 0;
  for (let block = from; block < to; block++) {
    if (rows[block * STRIDE + LINKS] > 0) linked++;
    words += rows[block * STRIDE + TOKENS];
  }
  return linked > 0 && linked >= LEAST_LINKED * (to - from) && words <= before;
}
