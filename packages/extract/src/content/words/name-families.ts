import { HashTable } from './hash-table.ts';
import { hashWord } from './word-families.ts';

/** Usual meanings of words in class names, ids and roles; words as in `name-words.ts`. */
const FAMILIES: Readonly<Record<string, string>> = {
  nav: 'nav navbar navigation menu submenu megamenu dropdown breadcrumb breadcrumbs crumb crumbs toc',
  header: 'header masthead topbar logo hero banner headline',
  footer: 'footer foot colophon bottom copyright',
  sidebar: 'sidebar aside side rail secondary widget widgets complementary',
  comment: 'comment comments respond disqus commentlist discussion replies',
  modal: 'modal popup dialog overlay lightbox offcanvas drawer toast tooltip popover alertdialog',
  consent: 'cookie cookies consent gdpr onetrust ccpa privacy legal disclaimer terms',
  content: 'content article post entry body story text prose copy richtext wysiwyg markdown rte',
  main: 'main primary maincontent page wrapper',
  promo:
    'cta promo promotion ad ads advert advertisement sponsor sponsored offer newsletter subscribe signup marketing upsell',
  media:
    'media gallery carousel slider slideshow swiper slick slide video image img photo thumbnail thumbs figure caption',
  share: 'share sharing social follow facebook twitter addthis sharedaddy',
  related:
    'related recommended recommendations similar more suggestions upsells trending popular latest recent recirc crosssell also',
  card: 'card cards tile tiles grid item items teaser teasers list listing results result row product products',
  review: 'review reviews rating ratings stars testimonial testimonials',
  paging: 'pagination pager paging pages next prev previous loadmore',
  meta: 'meta byline author date time published timestamp tags tag category categories label badge',
  form: 'form search login input field select filter filters sort facet facets refine checkout cart account option options variant swatch',
  tabs: 'tab tabs tabpanel panel accordion collapse collapsible faq toggle expandable',
  forum:
    'thread topic message messages forum posts reply user avatar signature profile poster quote answer answers question votes',
  price: 'price prices pricing sku stock buy add sale discount amount',
  title: 'title heading subtitle name summary description desc excerpt intro lead',
  code: 'code highlight pre snippet example',
  hidden: 'hidden sr screenreader visually invisible offscreen print noscript skip',
};

export const NAME_FAMILIES: readonly string[] = Object.keys(FAMILIES);

const BITS: HashTable<number> = new HashTable(indexFamilies());

export function getNameBits(word: number): number {
  return BITS.get(word) ?? 0;
}

function indexFamilies(): Map<number, number> {
  const bits = new Map<number, number>();
  NAME_FAMILIES.forEach((family, bit) => {
    for (const word of FAMILIES[family].split(' ')) {
      const hash = hashWord(word);
      bits.set(hash, (bits.get(hash) ?? 0) | (1 << bit));
    }
  });
  return bits;
}
