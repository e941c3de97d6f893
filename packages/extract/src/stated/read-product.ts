import { type JsonObject, isObject, type LinkedData, type LinkedObject } from '../page/json-ld.ts';
import { dereference, readString } from '../page/main-entity.ts';
import { collapse, cut } from '../tree/text/node-text.ts';
import { readNumber } from '../fields/shared/read-number.ts';
import type { StatedProduct, StatedRating } from '../types/stated-data.ts';
import type { Signals } from '../page/signals.ts';

const PRODUCT_TYPE =
  /^(?:Product|ProductGroup|ProductModel|IndividualProduct|SomeProducts|Vehicle|Car|Motorcycle|BusOrCoach|MotorizedBicycle|SoftwareApplication|MobileApplication|WebApplication|VideoGame)$/i;
const OFFERED_TYPE = /^(?:Book|Audiobook|Course|Game|Movie|MusicAlbum|MusicRelease)$/i;

const OTHER_PRODUCT =
  /(?:^|\.)(?:isRelatedTo|isSimilarTo|isAccessoryOrSparePartFor|isConsumableFor|itemListElement|hasVariant|review|reviews|itemReviewed|mentions|about|itemOffered|isVariantOf|hasPart)(?:\.|$)/;

const MAX_OFFERS = 200;
const MAX_TEXT = 500;

/**
 * Returns the page's own product, or null; products in lists do not count. Each field comes from JSON-LD, microdata or
 * shop metadata, in this order.
 *
 * @param sources structured data, most trusted first
 */
export function readProduct(sources: readonly LinkedData[], meta: Signals['meta']): StatedProduct | null {
  const found = sources.flatMap((data) => readOwnProduct(data) ?? []);
  const fromMeta = readMetaProduct(meta);
  if (found.length === 0 && fromMeta.price === null) return null;
  return mergeProducts([...found, fromMeta]);
}

/** Takes each field from the first product that has it, but price and currency together. */
function mergeProducts(products: readonly StatedProduct[]): StatedProduct {
  const pick = <Name extends keyof StatedProduct>(name: Name): StatedProduct[Name] =>
    products.find((product) => product[name] !== null)?.[name] ?? null;
  const priced = products.find(({ price, currency }) => price !== null && currency !== null);
  const { price, high_price: highPrice } = priced ?? products.find((product) => product.price !== null) ?? EMPTY;
  return {
    name: pick('name'),
    brand: pick('brand'),
    sku: pick('sku'),
    gtin: pick('gtin'),
    mpn: pick('mpn'),
    price,
    high_price: highPrice,
    currency: priced?.currency ?? pick('currency'),
    availability: pick('availability'),
    rating: pick('rating'),
  };
}

const EMPTY = { price: null, high_price: null } as const;

function readOwnProduct(data: LinkedData): StatedProduct | undefined {
  const products = data.objects.filter(isProduct);
  const own = products.filter(({ path }) => !OTHER_PRODUCT.test(path));
  // The only product of a page is its own.
  const candidates = own.length > 0 ? own : products.length === 1 ? products : [];
  const read = candidates.slice(0, MAX_OFFERS).map((product) => toProduct(product, data));
  return read.find(({ price }) => price !== null) ?? read[0];
}

function isProduct({ types, properties }: LinkedObject): boolean {
  const isOffered = 'offers' in properties;
  if (isOffered && types.some((type) => OFFERED_TYPE.test(type))) return true;
  return types.some((type) => PRODUCT_TYPE.test(type)) && (isOffered || 'name' in properties);
}

function toProduct({ properties }: LinkedObject, data: LinkedData): StatedProduct {
  const variants = listValues(properties['hasVariant'], data);
  const offers = [properties, ...variants].flatMap((holder) => listOffers(holder, data)).slice(0, MAX_OFFERS);
  return {
    name: readText(properties['name']),
    brand: readText(dereference(first(properties['brand']), data)) ?? readText(properties['manufacturer']),
    sku: readText(properties['sku']) ?? firstOf(offers, ({ sku }) => readText(sku)),
    gtin: readGtin(properties) ?? firstOf(offers, readGtin) ?? firstOf(variants, readGtin),
    mpn: readText(properties['mpn']),
    ...readPrices(offers, data),
    availability: readAvailability(offers),
    rating: readRating(dereference(first(properties['aggregateRating']), data)),
  };
}

function listOffers(holder: JsonObject, data: LinkedData): JsonObject[] {
  return listValues(holder['offers'], data).flatMap((offer) => [offer, ...listValues(offer['offers'], data)]);
}

function listValues(value: unknown, data: LinkedData): JsonObject[] {
  return asList(value)
    .slice(0, MAX_OFFERS)
    .map((item) => dereference(item, data))
    .filter(isObject);
}

interface Price {
  readonly price: string;
  readonly currency: string | null;
}

function readPrices(
  offers: readonly JsonObject[],
  data: LinkedData,
): Pick<StatedProduct, 'price' | 'high_price' | 'currency'> {
  const prices = offers.flatMap((offer) => readOfferPrices(offer, data));
  const [start] = prices.filter(({ currency }) => currency !== null);
  const currency = start?.currency ?? firstOf(offers, readCurrency);
  // Prices in other currencies repeat the first.
  const comparable = prices.filter((one) => one.currency === null || one.currency === currency);
  const sorted = comparable.toSorted((one, other) => Number(one.price) - Number(other.price));
  const lowest = sorted[0]?.price ?? null;
  const highest = sorted.at(-1)?.price ?? null;
  const isRange = lowest !== null && highest !== null && Number(highest) > Number(lowest);
  return { price: lowest, high_price: isRange ? highest : null, currency };
}

const OLD_PRICE = /(?:ListPrice|StrikethroughPrice|SRP|MSRP|RegularPrice)$/;

function readOfferPrices(offer: JsonObject, data: LinkedData): Price[] {
  const specifications = listValues(offer['priceSpecification'], data).filter(
    ({ priceType }) => !OLD_PRICE.test(readText(priceType) ?? ''),
  );
  const own = [offer['price'], offer['lowPrice'], offer['highPrice']].flatMap((value) => readPrice(value) ?? []);
  const currency = readCurrency(offer);
  if (own.length > 0) {
    const fallback = currency ?? firstOf(specifications, readCurrency);
    return own.map((price) => ({ price, currency: fallback }));
  }
  return specifications.slice(0, 1).flatMap((one) =>
    [one['price'], one['minPrice']]
      .flatMap((value) => readPrice(value) ?? [])
      .slice(0, 1)
      .map((price) => ({ price, currency: readCurrency(one) ?? currency })),
  );
}

/** Keeps machine-written decimals, parses others; 0 is a price. */
function readPrice(value: unknown): string | null {
  const [item] = asList(value);
  if (typeof item === 'number') return Number.isFinite(item) && item >= 0 ? toDecimal(item) : null;
  const text = readText(item);
  if (text === null) return null;
  if (/^\d{1,15}(?:\.\d{1,10})?$/.test(text)) return text;
  const number = readNumber(text);
  return number === null || number < 0 ? null : toDecimal(number);
}

function toDecimal(value: number): string {
  const text = String(value);
  return text.includes('e') ? value.toFixed(2) : text;
}

function readCurrency(offer: JsonObject): string | null {
  const text = readText(offer['priceCurrency']) ?? readText(offer['currency']);
  if (text === null || text.length > 20) return null;
  return /^[a-z]{3}$/i.test(text) ? text.toUpperCase() : text;
}

const GTINS = ['gtin', 'gtin13', 'gtin12', 'gtin14', 'gtin8', 'ean', 'isbn'] as const;

function readGtin(holder: JsonObject): string | null {
  for (const name of GTINS) {
    const text = readText(holder[name]);
    if (text !== null && /\d{8}/.test(text.replace(/[\s-]/g, ''))) return text;
  }
  return null;
}

const AVAILABILITIES = [
  'BackOrder',
  'Discontinued',
  'InStock',
  'InStoreOnly',
  'LimitedAvailability',
  'MadeToOrder',
  'OnlineOnly',
  'OutOfStock',
  'PreOrder',
  'PreSale',
  'Reserved',
  'SoldOut',
] as const;
const AVAILABILITY_BY_KEY: ReadonlyMap<string, string> = new Map([
  ...AVAILABILITIES.map((name) => [name.toLowerCase(), name] as const),
  // Values from shop feeds.
  ['oos', 'OutOfStock'],
  ['available', 'InStock'],
  ['availablefororder', 'BackOrder'],
]);

function readAvailability(offers: readonly JsonObject[]): string | null {
  const names = offers.flatMap(({ availability }) => toAvailability(availability) ?? []);
  return names.find((name) => name === 'InStock') ?? names[0] ?? null;
}

function toAvailability(value: unknown): string | null {
  const text = readText(isObject(value) ? value['@id'] : value);
  if (text === null) return null;
  const key = text
    .slice(text.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/[^a-z]/g, '');
  return AVAILABILITY_BY_KEY.get(key) ?? null;
}

function readRating(value: unknown): StatedRating | null {
  if (!isObject(value)) return null;
  const rating = readNumber(readText(value['ratingValue']) ?? undefined);
  if (rating === null) return null;
  const count = readText(value['ratingCount']) ?? readText(value['reviewCount']);
  return {
    value: rating,
    best: readNumber(readText(value['bestRating']) ?? undefined),
    count: readNumber(count ?? undefined),
  };
}

function readMetaProduct(meta: Signals['meta']): StatedProduct {
  const read = (...names: string[]): string | null =>
    firstOf(names, (name) => readText(meta.get(name)?.find((text) => text.trim() !== '')));
  const price = readPrice(
    read('product:sale_price:amount', 'product:price:amount', 'og:price:amount', 'og:product:price:amount'),
  );
  const isProductPage = price !== null;
  const currency = read('product:price:currency', 'og:price:currency', 'og:product:price:currency', 'pricecurrency');
  return {
    name: isProductPage ? read('og:title') : null,
    brand: read('product:brand', 'og:brand'),
    sku: read('product:retailer_item_id', 'product:sku'),
    gtin: read('product:gtin', 'product:ean', 'product:upc'),
    mpn: read('product:mfr_part_no'),
    price,
    high_price: null,
    currency: currency === null || currency.length > 20 ? null : currency.toUpperCase(),
    availability: toAvailability(read('product:availability', 'og:availability')),
    rating: null,
  };
}

function readText(value: unknown): string | null {
  const text = readString(value);
  const clean = text === null ? '' : collapse(cut(text, MAX_TEXT));
  return clean === '' ? null : clean;
}

function asList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function first(value: unknown): unknown {
  return asList(value)[0];
}

function firstOf<Item, Value>(items: readonly Item[], read: (item: Item) => Value | null): Value | null {
  for (const item of items) {
    const value = read(item);
    if (value !== null) return value;
  }
  return null;
}
