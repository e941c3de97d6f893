import type { Tree } from '../tree/tree.ts';
import { TAG } from '../tree/tags.ts';
import { readBlockText } from './blocks/block-text.ts';
import { FAMILIES, HOLDER, LINK_WORDS, PRICES, STRIDE, TOKENS, type Blocks } from './blocks/blocks.ts';
import { WORD_FAMILIES } from './words/word-families.ts';

/** In blocks from the title. Prices of other products follow. */
const REACH_OF_PRICE = 40;
const REACH_OF_FACTS = 80;
const BEFORE_TITLE = 10;
const MAX_PRICE = 12;
/** An old price, or one without tax. */
const MAX_PRICES = 3;
const MAX_FACT = 8;
const OF_DELIVERY = 1 << WORD_FAMILIES.indexOf('shipping');

const AVAILABILITY: RegExp = new RegExp(
  `^(?:(?:availability|verfügbarkeit|disponibilit(?:é|à)|disponibilidade?|dostępność|наличие)\\s?:?\\s?)?(?:currently |only |low |nur noch )?(?:\\d{1,6} )?(?:${[
    'in stock|in-stock|out of stock|sold out|available(?: (?:now|online|to order|to ship|since .{1,20}))?\\W{0,3}$|unavailable\\W{0,3}$|back-?order(?:ed)?\\b|pre-?order\\W{0,3}$',
    'auf lager|(?:sofort |nicht )?lieferbar|sofort verfügbar|ausverkauft|nicht auf lager',
    'en stock|épuisé|rupture de stock|indisponible|disponible\\W{0,3}$|agotado|disponibile\\W{0,3}$|non disponibile|esaurito|em estoque|disponível\\W{0,3}$|esgotado',
    'op voorraad|uitverkocht|i lager|slutsåld|på lager|udsolgt|utsolgt|varastossa|skladem|vypredané|vyprodáno|dostępny|niedostępny|na zalogi',
    '(?:нет )?в наличии|есть в наличии|stokta|tükendi|còn hàng|hết hàng|在庫あり|在庫なし|品切れ|有货|有貨|现货|缺货|품절|재고 있음',
  ].join('|')})`,
  'iu',
);

const NUMBER =
  /^(?:sku|upc|ean|gtin|isbn|mpn|asin|item|article|product|part|model|style|ref(?:erence|erencia|érence)?|art(?:ikel)?|artikelnummer|artnr|código|codice|kod|kód|артикул|код(?: товара)?)\.?[\s-]?(?:no|nr|num|number|nummer|code|id|produktu|prodotto|do produto|de producto)?\.?\s?[:#№.]{0,2}\s?[\p{L}\d/._-]{0,30}\d[\p{L}\d/._-]{0,30}$/iu;

/** The blocks that state one fact of a product. */
export interface ProductFact {
  readonly blocks: readonly number[];
  /** Those to keep where none is kept. */
  readonly first: readonly number[];
}

/**
 * Finds the short blocks near the title that state what a product costs, whether it is there, and its number. The model
 * drops most of them: there are as many around other products.
 *
 * @param mayKeep whether a block is neither hidden nor junk
 */
export function findProductFacts(tree: Tree, blocks: Blocks, mayKeep: (block: number) => boolean): ProductFact[] {
  const { rows, count } = blocks;
  const title = findTitle();
  return title < 0 ? [] : [findPrices(), findMatches(AVAILABILITY), findMatches(NUMBER)];

  function findTitle(): number {
    for (let block = 0; block < count; block++)
      if (rows[block * STRIDE + HOLDER] === TAG.h1 && mayKeep(block)) return block;
    return -1;
  }

  function isPrice(block: number): boolean {
    const row = block * STRIDE;
    if (rows[row + PRICES] === 0 || rows[row + TOKENS] > MAX_PRICE || rows[row + LINK_WORDS] > 0) return false;
    return (rows[row + FAMILIES] & OF_DELIVERY) === 0 && mayKeep(block);
  }

  function findPrices(): ProductFact {
    const prices: number[] = [];
    for (let block = title; block < Math.min(count, title + REACH_OF_PRICE); block++)
      if (isPrice(block)) prices.push(block);
    const isInRow = (block: number, index: number): boolean => block === prices[0] + index;
    return { blocks: prices, first: prices.slice(0, MAX_PRICES).filter(isInRow) };
  }

  function findMatches(pattern: RegExp): ProductFact {
    const found: number[] = [];
    for (let block = Math.max(0, title - BEFORE_TITLE); block < Math.min(count, title + REACH_OF_FACTS); block++) {
      const row = block * STRIDE;
      if (rows[row + TOKENS] > MAX_FACT || rows[row + LINK_WORDS] > 0) continue;
      if (pattern.test(readBlockText(tree, blocks, block)) && mayKeep(block)) found.push(block);
    }
    return { blocks: found, first: found.slice(0, 1) };
  }
}
