import { HEADING, TAG, TAG_FLAGS } from '../tree/tags.ts';
import type { Tree } from '../tree/tree.ts';
import { readBlockText } from './blocks/block-text.ts';
import { HOLDER, STRIDE, TOKENS, WORDS_KEPT, type Blocks } from './blocks/blocks.ts';
import type { Scopes } from './blocks/scopes.ts';
import { TAG_FAMILIES } from './words/tag-families.ts';
import { hashWords } from './words/word-families.ts';

/** Titles of what a shop shows below each of its products. */
const TITLE: RegExp = new RegExp(
  `^(?:${[
    '(?:free |fast )?(?:shipping|delivery|returns?|refunds?|exchanges?|payments?)(?:(?: ?(?:&|\\+|/|,|and) ?| )(?:shipping|delivery|returns?|refunds?|exchanges?|payments?|information|info|policy|options|methods|details|costs?)){0,3}',
    '(?:size|sizing) (?:guide|chart)|(?:our )?warranty(?: information)?|(?:customer |product |verified )?(?:reviews?|ratings?)(?: ?(?:&|and) ?(?:reviews?|ratings?))?(?: \\(?\\d{1,6}\\)?)?|write a review',
    '(?:versand|lieferung|rückgabe|retouren|zahlung|zahlungsarten|zahlungsmöglichkeiten)(?: ?(?:&|und|,) ?(?:versand|lieferung|rückgabe|retouren|zahlung))?|größentabelle|größenberater|(?:kunden)?bewertungen',
    '(?:livraison|retours?|paiement)(?: ?(?:&|et) ?(?:livraison|retours?|paiement))?|guide des tailles|avis(?: clients?)?|(?:envíos?|devoluciones)(?: ?(?:&|y) ?devoluciones)?|guía de tallas|formas de pago|opiniones|reseñas',
    '(?:spedizion[ei]|resi|pagamenti)(?: ?(?:&|e) ?(?:resi|pagamenti))?|guida alle taglie|recensioni|verzending|levering|retourneren|maattabel|beoordelingen|dostawa|zwroty|tabela rozmiarów|opinie|envio|entrega|trocas e devoluções|guia de tamanhos|avaliações',
    'доставка(?: и оплата)?|оплата(?: и доставка)?|возврат|отзывы|配送(?:について)?|返品(?:について)?|サイズ(?:表|ガイド)|レビュー|배송 ?(?:정보|안내)|교환.{0,3}반품.{0,6}|退货|配送|评价',
  ].join('|')})\\W{0,3}$`,
  'iu',
);
const FIRST_WORDS: ReadonlySet<number> = hashWords(
  'free fast shipping delivery return returns refund refunds exchange exchanges payment payments size sizing our warranty customer ' +
    'product verified review reviews rating ratings write versand lieferung rückgabe retouren zahlung zahlungsarten ' +
    'zahlungsmöglichkeiten größentabelle größenberater kundenbewertungen bewertungen livraison retour retours paiement guide avis ' +
    'envío envíos devoluciones guía formas opiniones reseñas spedizione spedizioni resi pagamenti guida recensioni verzending ' +
    'levering retourneren maattabel beoordelingen dostawa zwroty tabela opinie envio entrega trocas guia avaliações доставка ' +
    'Доставка оплата Оплата возврат Возврат отзывы Отзывы 配送 配送について 返品 返品について サイズ表 サイズガイド レビュー 배송 배송정보 교환 退货 评价',
);
const TAB = 1 << TAG_FAMILIES.indexOf('button');
const MAX_TITLE = 6;
const MAX_PANELS = 20;
/** Largest share of the page's words. */
const MOST_SHARE = 0.6;

/** Marks the panels on delivery, returns, sizes and reviews that a shop shows below each product; undefined without one. */
export function findShopPanels(tree: Tree, blocks: Blocks, scopes: Scopes): Uint8Array | undefined {
  const { rows, firstWords, count } = blocks;
  let marks: Uint8Array | undefined;
  let all = 0;
  for (let block = 0; block < count; block++) all += rows[block * STRIDE + TOKENS];
  let left = MAX_PANELS;
  for (let block = 0; block < count && left > 0; block++) {
    const words = rows[block * STRIDE + TOKENS];
    if (words > MAX_TITLE || !FIRST_WORDS.has(firstWords[block * WORDS_KEPT])) continue;
    if (!TITLE.test(readBlockText(tree, blocks, block))) continue;
    left--;
    const end = findEnd(blocks, scopes, block);
    let inside = 0;
    for (let inner = block; inner < end; inner++) inside += rows[inner * STRIDE + TOKENS];
    if (inside > MOST_SHARE * all) continue;
    marks ??= new Uint8Array(count);
    marks.fill(1, block, end);
    block = end - 1;
  }
  return marks;
}

/** One past the last block of the panel that starts with a title: its element, or all to the next heading as high. */
function findEnd(
  { rows }: Blocks,
  { count, parent, leaf, from, to, signature, tagBits }: Scopes,
  title: number,
): number {
  let section = leaf[title];
  let label = section;
  while (parent[section] >= 0 && to[section] === title + 1) {
    label = section;
    section = parent[section];
  }
  if (from[section] === title) {
    // Another label like this one opens the next panel.
    for (let inner = section + 1; inner < count && from[inner] < to[section]; inner++)
      if (parent[inner] === section && inner !== label && signature[inner] === signature[label]) return from[inner];
    return to[section];
  }
  const holder = rows[title * STRIDE + HOLDER];
  // A tab is followed by other tabs, and by panels of all.
  for (let own = leaf[title]; own !== section; own = parent[own]) if ((tagBits[own] & TAB) !== 0) return title + 1;
  if ((TAG_FLAGS[holder] & HEADING) === 0 || holder === TAG.h1) return title + 1;
  let block = title + 1;
  while (block < to[section]) {
    const tag = rows[block * STRIDE + HOLDER];
    // Codes of headings are in their order.
    if ((TAG_FLAGS[tag] & HEADING) !== 0 && tag <= holder) break;
    block++;
  }
  return block;
}
