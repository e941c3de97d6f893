import type { PageType } from '../types/extraction.ts';
import { getAttribute, type Tree } from '../tree/tree.ts';
import { HEADING, TAG, TAG_FLAGS } from '../tree/tags.ts';
import { readBlockText } from './blocks/block-text.ts';
import { FIRST, HOLDER, LINK_WORDS, LINKS, STRIDE, TOKENS, WORDS, WORDS_KEPT, type Blocks } from './blocks/blocks.ts';
import type { Scopes } from './blocks/scopes.ts';
import { NAME_FAMILIES } from './words/name-families.ts';
import { TAG_BITS, TAG_FAMILIES } from './words/tag-families.ts';
import { hashWords } from './words/word-families.ts';

/** Headings of lists of other texts or products of the site. "Further reading" and "See also" are content. */
const TITLE: RegExp = new RegExp(
  `^[^\\p{L}\\p{N}]{0,4}(?:${[
    "related (?:posts?|articles?|stories|news|content|reading|coverage|products?|items?)|you (?:may|might|will|[’']ll) also (?:like|enjoy|love|be interested in)",
    '(?:most (?:read|popular|viewed|shared|commented)|trending(?: now)?|popular (?:posts?|articles?|stories|now)|recent(?:ly)? (?:posts?|articles?|stories|comments?|viewed))|(?:what to )?read next|up next|keep reading|more stories|more like this|recommended (?:for you|articles?|stories|posts?|products?)|similar (?:posts?|articles?|stories|products?|items?)|(?:people|customers|readers|others) also (?:read|liked|viewed|bought)',
    'ähnliche (?:artikel|beiträge|produkte)|verwandte (?:artikel|beiträge|themen)|das könnte (?:sie|dich|ihnen|dir) auch (?:interessieren|gefallen)|auch interessant|mehr zum thema|meist ?gelesen(?:e(?: artikel)?)?|beliebte? (?:artikel|beiträge)|(?:neueste|letzte) (?:artikel|beiträge|kommentare)|weitere (?:artikel|beiträge|meldungen)|lesen sie auch',
    '(?:articles|contenus|produits|billets) (?:similaires|connexes|liés|associés)|(?:à )?lire (?:aussi|également)|vous aimerez (?:peut-être )?aussi|sur le même (?:sujet|thème)|(?:les )?(?:articles )?(?:les )?plus (?:lus|populaires|consultés)|articles (?:récents|populaires)',
    '(?:artículos|noticias|entradas|productos|notas) relacionad[oa]s|(?:también )?te puede interesar|lea también|lo más (?:leído|visto|popular)|(?:entradas|artículos) (?:recientes|populares)|mais (?:lidas|lidos|vistas|populares)|(?:posts|artigos) (?:recentes|populares)|(?:artigos|notícias|posts|produtos) relacionad[oa]s|(?:leia|veja) também',
    '(?:articoli|prodotti|notizie) (?:correlat[ie]|simili)|leggi anche|potrebbe(?:ro)? (?:anche )?interessarti(?: anche)?|lees ook|(?:i )?più (?:letti|visti|popolari)|articoli (?:recenti|popolari)|meest gelezen|mest lästa?|mest leste?|mest læste?|gerelateerde (?:artikelen|berichten|producten)|läs också|les også|læs også',
    'najczęściej czytane|najpopularniejsze|самое (?:читаемое|популярное)|популярное|популярные (?:статьи|записи)|последние (?:записи|статьи)|zobacz (?:także|również|też)|podobne (?:artykuły|wpisy|produkty)|читайте также|похожие (?:статьи|записи|товары|новости)|материалы по теме',
    '(?:アクセス)?ランキング|人気(?:の)?記事|最近の(?:投稿|記事)|最新記事|热门(?:文章|推荐|阅读)|最新文章|熱門文章|인기 ?(?:글|기사)|関連(?:記事|商品|ニュース)|あわせて読みたい|相关(?:文章|阅读|新闻|推荐)|相關(?:文章|閱讀|新聞)|관련 ?(?:기사|상품|글)',
  ].join('|')})[^\\p{L}\\p{N}]{0,4}$`,
  'iu',
);
/** Titles of lists of links to the parts of the same page. */
const CONTENTS =
  /^[^\p{L}\p{N}]{0,4}(?:(?:table of )?contents|(?:on|in) this (?:page|article|guide|post)|jump to(?: section)?|quick links|inhalt(?:sverzeichnis)?|auf dieser seite|sommaire|table des matières|dans cet article|contenidos?|tabla de contenidos?|en est(?:a página|e artículo)|índice|indice(?: dei contenuti)?|sommario|conteúdo|neste artigo|inhoud(?:sopgave)?|innehåll|indhold|innhold|spis treści|obsah|содержание|оглавление|目次|目录|目錄|목차)[^\p{L}\p{N}]{0,4}$/iu;
const CONTENTS_WORDS: ReadonlySet<number> = hashWords(
  'table contents on in jump quick inhalt inhaltsverzeichnis auf sommaire dans contenido contenidos tabla en índice indice sommario ' +
    'conteúdo neste inhoud inhoudsopgave innehåll indhold innhold spis obsah содержание Содержание оглавление Оглавление 目次 目录 目錄 목차',
);
/** Titles of panels that a shop shows with every product. */
const PANEL: RegExp = new RegExp(
  `^[^\\p{L}\\p{N}]{0,4}(?:${[
    'we (?:also |highly )?recommend|(?:free |fast )?(?:shipping|delivery)(?: ?(?:&|and|\\+|/) ?(?:returns?|payments?|shipping|delivery|exchanges?))?(?: (?:information|info|policy|details|options|costs))?|returns?(?: ?(?:&|and) ?(?:exchanges?|refunds?|shipping|delivery))?(?: policy)?|payments?(?: (?:methods|options|& security))?|(?:size|sizing|fit) (?:guide|chart)|(?:customer )?(?:reviews?|ratings)(?: ?(?:&|and) ?(?:ratings|reviews))?|complete (?:the|your) look|(?:frequently|often) bought together|recently viewed(?: (?:products|items))?',
    'versand(?: ?(?:&|und|\\+) ?(?:zahlung|lieferung|retouren?|rückgabe|rückversand))?|(?:versand|zahlungs?)(?:kosten|arten|methoden|informationen)|lieferung(?: ?(?:&|und) ?(?:versand|rückgabe|retouren?))?|rückgabe|retouren?|widerrufs(?:recht|belehrung)|größen(?:tabelle|guide|berater)|(?:kunden)?bewertungen|kunden kauften (?:auch|ebenfalls)|wird oft zusammen gekauft|zuletzt angesehen',
    'livraison(?: (?:et|&) retours?)?|(?:livraison|expédition) (?:gratuite|rapide|offerte|en \\d{1,3} ?h(?:eures)?)|retours?(?: (?:et|&) (?:échanges|remboursements?)| (?:gratuits?|sous \\d{1,3} jours))?|paiement(?: (?:100 ?% )?sécurisé)?|guide des tailles|avis(?: (?:clients?|des clients))?|complétez le look|récemment consultés',
    'envíos?(?: (?:y|&) (?:devoluciones|pagos?|entregas?)| gratis)?|devoluciones(?: y (?:cambios|reembolsos))?|(?:formas|métodos) de pago|pago seguro|guía de tallas|(?:opiniones|reseñas|valoraciones)(?: de clientes)?|completa tu look',
    'spedizion[ei](?: e (?:resi|consegn[ae]|reso))?|res[oi](?: e rimborsi)?|(?:metodi di )?pagament[oi](?: sicur[oi])?|guida alle taglie|recensioni|envio(?: e devoluç(?:ão|ões))?|devoluç(?:ão|ões)|formas de pagamento|guia de tamanhos|avaliações',
    'verzending(?: (?:en|&) (?:retour(?:neren)?|levering|betaling))?|(?:bezorging|levering)(?: (?:en|&) retour(?:neren)?)?|retourneren|maattabel|beoordelingen|leverans(?: (?:och|&) returer?)?|frakt(?: (?:och|&) returer?)?|storleksguide|(?:dostawa|wysyłka)(?: (?:i|oraz) (?:płatność|płatności|zwroty))?|zwroty|tabela rozmiarów|opinie(?: klientów)?|доставка(?: и (?:оплата|возврат))?|оплата|возврат|отзывы|таблица размеров|配送(?:について)?|お支払い(?:方法)?|返品(?:について)?|サイズ(?:表|ガイド)|レビュー',
  ].join('|')})(?: ?\\(\\d{1,6}\\))?[^\\p{L}\\p{N}]{0,4}$`,
  'iu',
);
/** Titles of boxes about the author of an article. */
const ABOUT_AUTHOR =
  /^(?:about (?:the )?authors?|(?:über|zu) (?:den autor|die autor(?:in|en))|zur person|à propos (?:de l['’]auteure?|des auteurs)|sobre (?:el|la|o|a) autora?|acerca del autor|sull['’]autor[ea]|over de auteur|om (?:författaren|forfatteren)|o autor(?:ze|ce)|об авторе|この記事を書いた人|著者(?:について|プロフィール)|关于作者|作者简介)[^\p{L}\p{N}]{0,4}$/iu;
/** What opens a panel that somebody pays for. */
const SPONSORED =
  /^(?:(?:sponsored|promoted|presented|paid for) by|paid (?:content|post|promotion)|sponsored (?:content|post|story)|anzeige von|präsentiert von|gesponsert von|sponsorisé par|présenté par|patrocinado por|contenido patrocinado|conteúdo patrocinado|sponsorizzato da|gesponsord door|sponsrat av)(?!\p{L})/iu;
const SPONSORED_WORDS: ReadonlySet<number> = hashWords(
  'sponsored promoted presented paid anzeige präsentiert gesponsert sponsorisé présenté patrocinado contenido conteúdo sponsorizzato gesponsord sponsrat',
);
/** Longest such panel, in words. */
const MAX_SPONSORED = 40;
const PANEL_WORDS: ReadonlySet<number> = hashWords(
  'about über zu zur à sobre acerca sull over om o об Об この記事を書いた人 著者について 著者プロフィール 关于作者 作者简介 ' +
    'we free fast shipping delivery returns return payment payments size sizing fit customer reviews review ratings complete ' +
    'frequently often recently versand versandkosten versandarten versandinformationen zahlungsarten zahlungsmethoden lieferung rückgabe retoure retouren widerrufsrecht ' +
    'widerrufsbelehrung größentabelle größenguide größenberater bewertungen kundenbewertungen kunden wird zuletzt livraison expédition retour ' +
    'retours paiement guide avis complétez récemment envío envíos devoluciones formas métodos pago guía opiniones reseñas valoraciones ' +
    'completa spedizione spedizioni reso resi metodi pagamento pagamenti guida recensioni envio devolução devoluções guia avaliações ' +
    'verzending bezorging levering retourneren maattabel beoordelingen leverans frakt storleksguide dostawa wysyłka zwroty tabela opinie ' +
    'доставка Доставка оплата Оплата возврат Возврат отзывы Отзывы таблица Таблица 配送 配送について お支払い お支払い方法 返品 返品について サイズ表 サイズガイド レビュー',
);
const TITLES = bitOf('heading') | bitOf('button') | bitOf('details') | bitOf('link');
const TITLE_NAMES = 1 << NAME_FAMILIES.indexOf('title');
/** Longest panel, in words: what is longer may be the page's own text. */
const MAX_PANEL = 400;
const FIRST_WORDS: ReadonlySet<number> = hashWords(
  'most trending popular recent recently meist meistgelesen meistgelesene beliebte neueste letzte les plus lo entradas artículos mais posts più i meest mest najczęściej najpopularniejsze ' +
    'самое Самое популярное Популярное популярные Популярные последние Последние ランキング アクセスランキング 人気記事 人気の記事 最近の投稿 最近の記事 最新記事 热门文章 热门推荐 热门阅读 最新文章 熱門文章 인기 ' +
    'related you what read up keep more recommended similar people customers readers others ähnliche verwandte das auch mehr ' +
    'weitere lesen articles contenus produits billets à lire vous sur artículos noticias entradas productos notas también te lea ' +
    'artigos notícias posts produtos leia veja articoli prodotti notizie leggi potrebbe potrebbero lees gerelateerde läs les læs ' +
    'zobacz podobne читайте Читайте похожие Похожие материалы Материалы 関連記事 関連商品 関連ニュース あわせて読みたい 相关文章 ' +
    '相关阅读 相关新闻 相关推荐 相關文章 相關閱讀 相關新聞 관련 관련기사 관련상품 관련글',
);
const MAX_UP = 6;
const MAX_LINK_LEVELS = 4;
const MAX_TITLE = 6;
const MAX_TITLES = 20;
/** A paragraph beside the title with this many words goes on with the text. */
const PROSE = 15;
/** A section before the text is at most this part of the page. */
const MOST_OF_PAGE = 6;
/** Least share of blocks of the section with links. */
const LEAST_LINKED = 0.3;

/**
 * Marks the blocks of sections that lead to other texts, of a product's panels that the shop shows with all of them, and
 * of boxes about an article's author; undefined if there is none.
 */
export function findTitledSections(
  tree: Tree,
  blocks: Blocks,
  scopes: Scopes,
  pageType?: PageType,
): Uint8Array | undefined {
  const { rows, firstWords, count } = blocks;
  let marks: Uint8Array | undefined;
  let titles = 0;
  let before = 0;
  let all = 0;
  for (let block = 0; block < count; block++) all += rows[block * STRIDE + TOKENS];
  for (let block = 0; block < count && titles < MAX_TITLES; block++) {
    const words = rows[block * STRIDE + TOKENS];
    const end = words <= MAX_TITLE ? findSectionEnd(block) : block;
    if (end > block + 1) {
      marks ??= new Uint8Array(count);
      marks.fill(1, block, end);
      block = end - 1;
    } else before += words;
  }
  return marks;

  /** One past the last block of the section that a block titles; the block itself if it titles none. */
  function findSectionEnd(title: number): number {
    const first = firstWords[title * WORDS_KEPT];
    if (FIRST_WORDS.has(first) && isTitle(tree, blocks, title)) {
      titles++;
      const end = findEnd(blocks, scopes, title);
      if (isTeasers(blocks, title + 1, end, Math.max(before, all / MOST_OF_PAGE))) return end;
    }
    if (CONTENTS_WORDS.has(first)) {
      const end = findContents(tree, blocks, scopes, title);
      if (end > title + 1) return end;
    }
    if (SPONSORED_WORDS.has(first)) {
      const end = findSponsored(tree, blocks, scopes, title);
      if (end > title + 1) return end;
    }
    if ((pageType !== 'product' && pageType !== 'article') || !PANEL_WORDS.has(first)) return title;
    return findPanel(tree, blocks, scopes, title, pageType);
  }
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

/** One past the last link of a list to parts of the page that follows its title. */
function findContents(tree: Tree, blocks: Blocks, { parent, leaf, from, to }: Scopes, title: number): number {
  const { rows } = blocks;
  if (!CONTENTS.test(readBlockText(tree, blocks, title))) return title;
  let section = leaf[title];
  for (let level = 0; level < MAX_UP && parent[section] >= 0 && to[section] === title + 1; level++)
    section = parent[section];
  if (from[section] > title) return title;
  let block = title + 1;
  for (; block < to[section]; block++) {
    const row = block * STRIDE;
    if (
      rows[row + LINKS] === 0 ||
      rows[row + LINK_WORDS] < rows[row + WORDS] - 1 ||
      !leadsInside(tree, rows[row + FIRST])
    )
      break;
  }
  return block > title + 2 ? block : title;
}

/** One past the last block of the element that a sponsor's label starts; the label itself if its element is long. */
function findSponsored(tree: Tree, blocks: Blocks, { parent, leaf, from, to }: Scopes, title: number): number {
  let section = leaf[title];
  while (parent[section] >= 0 && to[section] === title + 1) section = parent[section];
  if (from[section] !== title || !SPONSORED.test(readBlockText(tree, blocks, title))) return title;
  let words = 0;
  for (let block = title; block < to[section] && words <= MAX_SPONSORED; block++)
    words += blocks.rows[block * STRIDE + TOKENS];
  return words <= MAX_SPONSORED ? to[section] : title;
}

/** Whether a text is in a link to a part of the page. */
function leadsInside(tree: Tree, node: number): boolean {
  let at = node;
  for (let level = 0; level < MAX_LINK_LEVELS && at > 0; level++, at = tree.parent[at])
    if (tree.tag[at] === TAG.a) return getAttribute(tree, at, 'href')?.includes('#') === true;
  return false;
}

/** One past the last block of a panel: to the end of its element, or the next title like its own. */
function findPanel(tree: Tree, blocks: Blocks, scopes: Scopes, title: number, pageType?: PageType): number {
  const { rows } = blocks;
  const { parent, leaf, from, to, signature } = scopes;
  const titleBits = TAG_BITS[rows[title * STRIDE + HOLDER]] | scopes.tagBits[leaf[title]];
  const isTitled = (titleBits & TITLES) !== 0 || (scopes.nameBits[leaf[title]] & TITLE_NAMES) !== 0;
  if (!isTitled || !(pageType === 'product' ? PANEL : ABOUT_AUTHOR).test(readBlockText(tree, blocks, title)))
    return title;
  let own = leaf[title];
  while (parent[own] >= 0 && to[parent[own]] === title + 1 && from[parent[own]] === title) own = parent[own];
  const section = parent[own];
  if (section < 0) return title;
  const holder = rows[title * STRIDE + HOLDER];
  const isHeading = (TAG_FLAGS[holder] & HEADING) !== 0;
  let words = 0;
  let block = title + 1;
  for (; block < to[section] && words <= MAX_PANEL; block++) {
    const tag = rows[block * STRIDE + HOLDER];
    // The author's name may be a heading; references after the box are content.
    const mayEnd = tag <= holder || (pageType === 'article' && block > title + 1);
    if (isHeading && (TAG_FLAGS[tag] & HEADING) !== 0 && mayEnd) break;
    const beside = findBelow(scopes, block, section);
    if (from[beside] === block && signature[beside] === signature[own] && to[beside] === block + 1) break;
    words += rows[block * STRIDE + TOKENS];
  }
  return words <= MAX_PANEL ? block : title;
}

/** The scope of a block right below another scope. */
function findBelow({ parent, leaf }: Scopes, block: number, above: number): number {
  let scope = leaf[block];
  while (parent[scope] !== above) scope = parent[scope];
  return scope;
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

function bitOf(family: string): number {
  return 1 << TAG_FAMILIES.indexOf(family);
}
