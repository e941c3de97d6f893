import { TAG } from '../../tree/tags.ts';
import { getTextContent, getAttribute, type Tree } from '../../tree/tree.ts';
import { FAMILIES, STRIDE, TITLE_WORDS, WORDS } from '../blocks/blocks.ts';
import { readBlockText } from '../blocks/block-text.ts';
import { WORD_FAMILIES } from '../words/word-families.ts';
import { TAG_FAMILIES } from '../words/tag-families.ts';
import { GROUP_MEASURES, type Groups } from './group-features.ts';
import { findH1 } from './place-features.ts';
import { ratio, scale, type PageView } from './page-view.ts';

/** Words of addresses by page type, one row a family. */
const URL_FAMILIES: readonly (readonly [string, RegExp])[] = [
  ['forum', /forum|thread|topic|\/t\/|discuss|community|showthread|viewtopic|questions|\/r\//i],
  ['product', /product|\/p\/|\/dp\/|\/item|sku|\/buy\//i],
  ['collection', /collection|categor|\/c\/|\/shop|catalog|store/i],
  ['article', /blog|news|article|post|story|\/20[012]\d\//i],
  ['docs', /docs?[./]|manual|reference|guide|tutorial|wiki|help|learn|api/i],
  ['service', /service|solution|about|pricing|contact|practice|treatment/i],
  ['listing', /list|search|archive|tag\/|author\/|directory|jobs|events|page\/\d/i],
];

/** Parts of an address that lead to one type of page in any language. */
const PLACES: readonly (readonly [string, RegExp])[] = [
  ['list', /\/(?:tag|category|categories|author|page|search|events?|jobs?|news|blog)\/?(?:\d+\/?)?$/i],
  ['company', /contact|kontakt|about|service|pricing|team|company|solutions/i],
  ['host', /^\w+:\/\/(?:docs?|forums?|community|shop|store|blog|news|support|help|developer|api)\./i],
  ['query', /\?/],
];

/** Words of a page's title and first heading, one row a type of page. */
const TITLES: readonly (readonly [string, RegExp])[] = [
  [
    'company',
    /\b(?:contact|about|services?|us|team|careers?|pricing|company|solutions?|consulting|agency|clinic|home|welcome|kontakt|unternehmen|leistungen|startseite|contacto|nosotros|servicios|empresa|accueil|entreprise|contatti)\b/,
  ],
  [
    'list',
    /\b(?:news|blog|events?|jobs?|archives?|latest|all|category|search|results?|page|posts?|directory|calendar|articles|stories|meetings?|nachrichten|aktuelles|termine|veranstaltungen|archiv|suche|noticias|eventos|actualités|notizie)\b/,
  ],
  [
    'docs',
    /\b(?:documentation|docs|guide|reference|manual|api|tutorial|introduction|installation|dokumentation|handbuch|anleitung|documentación)\b/,
  ],
  [
    'shop',
    /\b(?:shop|buy|sale|collection|men|women|price|online|kaufen|herren|damen|comprar|acheter|hombre|mujer|homme|femme|kopen)\b/,
  ],
  ['forum', /\b(?:forums?|thread|topic|question|community|discussion)\b/],
  ['how', /^(?:how|why|what|the|\d+)\b/],
];
const MOST_TITLE = 300;

/** Types declared by structured data, one row a family. */
const SCHEMA_FAMILIES: readonly (readonly [string, RegExp])[] = [
  ['article', /^(?:(?:News|Blog|Tech|Scholarly)?(?:Article|Posting)|Recipe)$/],
  ['product', /^Product(?:Group)?$/],
  ['offer', /^(?:Aggregate)?Offer$/],
  ['collection', /^(?:CollectionPage|ItemList|OfferCatalog|SearchResultsPage|Blog|Event)$/],
  ['forum', /^(?:DiscussionForumPosting|QAPage|Question|Comment)$/],
  ['service', /^(?:Service|LocalBusiness|ProfessionalService|FAQPage|Corporation)$/],
  ['person', /^Person$/],
  ['page', /^Web(?:Site|Page)$/],
];
const DECLARED_TYPE = /"@type"\s*:\s*(?:\[\s*)?"(\w+)"/g;

const OG_TYPES: readonly (readonly [string, RegExp])[] = [
  ['article', /article|post/i],
  ['product', /product/i],
  ['website', /website/i],
];

export const PAGE_FEATURES: readonly string[] = [
  ...['blocks', 'words', 'links', 'prose', 'proseShare', 'headings', 'linkBlocks', 'hasH1'].map(inPage),
  ...['images', 'inputs', 'paragraphs', 'buttons', 'prices'].map(inPage),
  ...['articles', 'articleShare', 'mainShare', 'forms', 'tables', 'codes'].map(inPage),
  ...['groupShare', 'groupMembers', 'groupWords', 'groupLinks', 'groupImages', 'groupPrices', 'groupProse'].map(inPage),
  'url.length',
  'url.depth',
  'url.digits',
  'url.lastWords',
  'url.lastDigits',
  ...WORD_FAMILIES.map((family) => `page.says.${family}`),
  ...URL_FAMILIES.map(([family]) => `url.${family}`),
  ...SCHEMA_FAMILIES.map(([family]) => `schema.${family}`),
  ...OG_TYPES.map(([family]) => `og.${family}`),
  ...PLACES.map(([family]) => `url.in.${family}`),
  'title.words',
  ...TITLES.map(([family]) => `title.${family}`),
  'h1.words',
  'h1.inTitle',
  ...TITLES.map(([family]) => `h1.${family}`),
];

function inPage(name: string): string {
  return `page.${name}`;
}

export function describePage(view: PageView, groups: Groups): Float32Array {
  const values = [
    ...measureText(view),
    ...measureControls(view),
    ...measureElements(view),
    ...measureLargestGroup(groups),
    ...measureUrl(view.url),
    ...shareOfFamilies(view),
    ...URL_FAMILIES.map(([, pattern]) => (pattern.test(view.url) ? 1 : 0)),
    ...matchDeclarations(view.tree),
    ...PLACES.map(([, pattern]) => (pattern.test(view.url) ? 1 : 0)),
    ...measureTitles(view),
  ];
  return Float32Array.from(values);
}

function measureText(view: PageView): number[] {
  const { count, words, linkWords, prose, headings, linkBlocks } = view;
  return [
    scale(count),
    scale(words[count]),
    ratio(linkWords[count], words[count]),
    scale(prose[count]),
    ratio(prose[count], words[count]),
    scale(headings[count]),
    ratio(linkBlocks[count], count),
    findH1(view) >= 0 ? 1 : 0,
  ];
}

function measureControls(view: PageView): number[] {
  const { images, inputs, paragraphs, buttons } = view.blocks;
  const counts = [images.length, inputs.length, paragraphs.length, buttons.length];
  return [...counts.map(scale), scale(view.priced[view.count])];
}

function measureElements(view: PageView): number[] {
  const { scopes, words, count, tree } = view;
  const total = words[count];
  let articles = 0;
  let largestArticle = 0;
  let largestMain = 0;
  let forms = 0;
  let tables = 0;
  let codes = 0;
  for (let s = 0; s < scopes.count; s++) {
    const element = scopes.element[s];
    if (element < 0) continue;
    const size = words[scopes.to[s]] - words[scopes.from[s]];
    const tag = tree.tag[element];
    const bits = scopes.tagBits[s];
    if ((bits & ARTICLE) !== 0) {
      articles++;
      largestArticle = Math.max(largestArticle, size);
    }
    if ((bits & MAIN) !== 0) largestMain = Math.max(largestMain, size);
    if (tag === TAG.form) forms++;
    else if (tag === TAG.table) tables++;
    else if (tag === TAG.pre) codes++;
  }
  return [
    scale(articles),
    ratio(largestArticle, total),
    ratio(largestMain, total),
    scale(forms),
    scale(tables),
    scale(codes),
  ];
}

const ARTICLE = 1 << TAG_FAMILIES.indexOf('article');
const MAIN = 1 << TAG_FAMILIES.indexOf('main');

function measureLargestGroup(groups: Groups): number[] {
  let largest = -1;
  for (let g = 0; g < groups.count; g++) {
    if (groups.words[g] > 0 && (largest < 0 || groups.words[g] > groups.words[largest])) largest = g;
  }
  if (largest < 0) return [0, 0, 0, 0, 0, 0, 0];
  const [members, words, links, share, images, prices, , prose] = groups.measures.subarray(
    largest * GROUP_MEASURES,
  ) as unknown as number[];
  return [share, members, words, links, images, prices, prose];
}

/** An unknown address differs from that of a front page, which is empty below the host. */
const UNKNOWN_URL = [-1, -1, -1, -1, -1];

function measureUrl(url: string): number[] {
  if (url === '') return UNKNOWN_URL;
  const path = url.replace(/^[a-z]+:\/\/[^/]*/i, '').slice(0, 500);
  const parts = path.split(/[#?]/, 1)[0].split('/');
  const last = parts.findLast((part) => part !== '') ?? '';
  const depth = path.split('/').filter((part) => part !== '').length;
  return [path.length, depth, countDigits(path), (last.match(/[a-z]{2,}/gi) ?? []).length, countDigits(last)];
}

function countDigits(text: string): number {
  return (text.match(/\d/g) ?? []).length;
}

/** What the title of the page and its first heading say. */
function measureTitles(view: PageView): number[] {
  const { tree, blocks } = view;
  let title = '';
  for (let node = 0; node < tree.size && title === ''; node++) {
    if (tree.tag[node] === TAG.title) title = getTextContent(tree, node).slice(0, MOST_TITLE);
  }
  const h1 = findH1(view);
  const heading = h1 < 0 ? '' : readBlockText(tree, blocks, h1).slice(0, MOST_TITLE);
  const row = h1 * STRIDE;
  const inTitle = h1 < 0 ? 0 : ratio(blocks.rows[row + TITLE_WORDS], blocks.rows[row + WORDS]);
  return [...matchTitle(title), countWords(heading), inTitle, ...matchTitle(heading).slice(1)];
}

/** The number of words, and whether each of `TITLES` is in it. */
function matchTitle(title: string): number[] {
  const lower = title.trim().toLowerCase();
  return [countWords(lower), ...TITLES.map(([, pattern]) => (pattern.test(lower) ? 1 : 0))];
}

function countWords(text: string): number {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).length;
}

function shareOfFamilies(view: PageView): number[] {
  const { rows } = view.blocks;
  const counts = WORD_FAMILIES.map(() => 0);
  for (let b = 0; b < view.count; b++) {
    let families = rows[b * STRIDE + FAMILIES];
    for (let f = 0; families !== 0; f++, families >>>= 1) if ((families & 1) === 1) counts[f]++;
  }
  return counts.map(scale);
}

function matchDeclarations(tree: Tree): number[] {
  const declared = SCHEMA_FAMILIES.map(() => 0);
  let type = '';
  for (let node = 0; node < tree.size; node++) {
    const tag = tree.tag[node];
    if (tag === TAG.script) {
      if (getAttribute(tree, node, 'type') === 'application/ld+json') {
        for (const [, name] of getTextContent(tree, node).slice(0, 100_000).matchAll(DECLARED_TYPE)) {
          for (const [f, [, pattern]] of SCHEMA_FAMILIES.entries()) if (pattern.test(name)) declared[f]++;
        }
      }
    } else if (tag === TAG.meta && type === '' && getAttribute(tree, node, 'property') === 'og:type') {
      type = getAttribute(tree, node, 'content') ?? '';
    }
  }
  return [...declared.map(scale), ...OG_TYPES.map(([, pattern]) => (pattern.test(type) ? 1 : 0))];
}
