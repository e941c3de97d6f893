import type { StageDetails } from '@winnow/contract';
import type { Extraction } from '@winnow/extract';

/** For links, and for images. */
const MAX_ITEMS = 100_000;
const MAX_ITEM_CHARACTERS = 20_000_000;

/** An extraction with at most as many links and images as an answer may have. */
export interface LimitedExtraction extends Extraction {
  /** Numbers of those that are missing; absent if there are none. */
  readonly leftOut?: Omit<StageDetails['validate'], 'checked'>;
}

export function limitLists(extraction: Extraction): LimitedExtraction {
  const links = takeFirst(extraction.links, ({ url, text }) => url.length + text.length);
  const images = takeFirst(extraction.images, ({ url, alt }) => url.length + (alt?.length ?? 0));
  const linksLeftOut = extraction.links.length - links.length;
  const imagesLeftOut = extraction.images.length - images.length;
  if (linksLeftOut + imagesLeftOut === 0) return extraction;
  const leftOut = {
    ...(linksLeftOut > 0 ? { links_left_out: linksLeftOut } : {}),
    ...(imagesLeftOut > 0 ? { images_left_out: imagesLeftOut } : {}),
  };
  return { ...extraction, links, images, leftOut };
}

function takeFirst<Item>(items: readonly Item[], measure: (item: Item) => number): Item[] {
  let room = MAX_ITEM_CHARACTERS;
  const end = items.findIndex((item, index) => index === MAX_ITEMS || (room -= measure(item)) < 0);
  return items.slice(0, end === -1 ? items.length : end);
}
