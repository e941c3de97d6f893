import type { PageType } from '../types/extraction.ts';
import { CONSENT } from '../page/consent-phrases.ts';
import type { Tree } from '../tree/tree.ts';
import { findAppealPanels } from './appeal-panels.ts';
import { APPEAL, CONTROL, FILED, LEADS_ON, LEGAL, RELATED } from './appeal-phrases.ts';
import { readBlockText } from './blocks/block-text.ts';
import {
  CODE_WORDS,
  ELEMENT,
  FAMILIES,
  FIRST,
  HIDDEN,
  LETTERS,
  LINK_WORDS,
  LINKS,
  OPENING,
  STRIDE,
  TOKENS,
  WORDS,
  WORDS_KEPT,
  type Blocks,
} from './blocks/blocks.ts';
import { findConsentDialogs, type ConsentDialog } from './consent-dialogs.ts';
import { findNamedPanels } from './named-panels.ts';
import { findListControls } from './list-controls.ts';
import { findNextStories } from './next-stories.ts';
import { findOtherGoods } from './other-goods.ts';
import { findPullQuotes } from './pull-quotes.ts';
import { findPostExtras } from './post-extras.ts';
import { findTitledSections } from './titled-sections.ts';
import { HIDDEN_DIALOG } from '../tree/hiding/hidden.ts';
import type { Scopes } from './blocks/scopes.ts';
import { TAG_FAMILIES } from './words/tag-families.ts';
import { hashWords, WORD_FAMILIES } from './words/word-families.ts';

interface JunkRule {
  readonly name: string;
  readonly reason: string;
  matches(candidate: Candidate): boolean;
}

interface Candidate {
  readonly hidden: number;
  /** Whether readers can neither see nor open the block, see `find-hidden.ts`. */
  readonly isHidden: boolean;
  /** Whether the block is in a dialog (element or role). */
  readonly inDialog: boolean;
  /** Whether the block asks for consent beside other content. */
  readonly isConsent: boolean;
  /** The text of a block of at most `SHORT` words, or `MEDIUM` words of an appeal or shortcode, that may match a rule, else ''. */
  readonly text: string;
  /** The first words of a text in `text`, if an element of their own has them. */
  readonly label: string;
  /** Whether the block has links and is in an article: on other pages, the section of an item is a fact. */
  readonly mayBeFiled: boolean;
  /** Whether most words of the block are in links. */
  readonly isLinked: boolean;
  /** Whether the block is a number in an element that is named after votes. */
  readonly isVotes: boolean;
  /** Whether the block is written as JSON outside code. */
  readonly isData: boolean;
}

const SHORT = 12;
const MEDIUM = 40;
/**
 * First words of the rules' texts. A text with another one is only read if it may be an identifier or shortcode.
 */
const FIRST_WORDS: ReadonlySet<number> = hashWords(
  'image photo picture slide item view listen play lorem javascript please enable activate turn your you this we loading ' +
    'advertisement story article copyright home stay connect page showing displaying viewing sponsored promoted anzeige werbung ' +
    'publicité publicidad publicidade pubblicità advertentie annons annonse annonce reklam reklama mainos реклама Реклама 広告 广告 廣告 광고 artikel',
);
/** First words of links that lead on; read in links alone. */
const ONWARD_WORDS: ReadonlySet<number> = hashWords(
  'read learn find see view show load discover explore more full continue keep shop book buy apply get click weiterlesen ' +
    'mehr zum lire en voir leer seguir ver leia saiba veja leggi scopri continua lees meer läs les læs lue czytaj więcej číst ' +
    'zobrazit читать Читать подробнее Подробнее devamını 続きを読む もっと見る もっと読む 詳細を見る 阅读更多 阅读全文 查看更多 查看详情 ' +
    '了解更多 閱讀更多 更多 더 더보기 자세히',
);
/** First words of appeals and of lines that lead to other texts; a block has no case but that of other alphabets than Latin. */
const APPEAL_WORDS: ReadonlySet<number> = hashWords(
  'please sign subscribe register like follow find join download support help abonnieren folgen unterstützen abonnez ' +
    'inscrivez suivez soutenez suscríbete suscríbase suscribete síguenos síganos iscriviti seguici assine siga related also ' +
    'read must don recommended previously watch lesen lies mehr auch das lesetipp buchtipp videotipp surftipp ebenfalls passend ' +
    'weiterlesen à lire sur pour notre lea lee leer te le más mira mire vea ve relacionado relacionada relacionados relacionadas ' +
    'sigue leia saiba veja confira leggi ti potrebbe per lees bekijk ook läs lese les læs lue przeczytaj polecamy sprawdź ' +
    'reporting additional editing writing print pin save share tag as from google apple outlook yahoo calendar your export icalendar ical zum rezept imprimer imprimir stampa recept drukuj распечатать Распечатать rate quick choose continue reply schnellansicht schnellkauf optionen ausführung antworten aperçu répondre vista responder rispondi jump did tried made was is war ist fanden cet cette questa esta have previous next messages back ' +
    'view disclosure affiliate sieh siehe voir visualizza dit bericht visa wyświetl посмотреть Посмотреть この投稿をinstagramで見る scarica descarga descárgate baixe téléchargez laden pobierz скачайте Скачайте ladda подписывайтесь Подписывайтесь obserwuj följ følg volg participe únete iscriviti segui inscreva suivez rejoignez ' +
    'posted filed tagged tags categories category veröffentlicht kategorie kategorien schlagwörter schlagworte publié classé étiquettes catégories publicado archivado etiquetas categorías categorias pubblicato categorie geplaatst opublikowano tagi рубрика Рубрика рубрики Рубрики метки Метки теги Теги カテゴリ カテゴリー タグ ' +
    'choosing opens toggle unit embed decrease increase pick pickup usually be geben add in ajouter añadir aggiungi adicionar lägg do в カートに入れる ' +
    '加入购物车 code select alles tout seleccionar seleziona zaznacz выделить unsubscribe you if si se dir ihnen euch more czytaj ' +
    'zobacz čtěte přečtěte citește olvassa читайте Читайте ЧИТАЙТЕ по По смотрите Смотрите см См ранее Ранее ayrıca baca xem ' +
    '関連 関連記事 関連ニュース 関連リンク あわせて読みたい 合わせて読みたい おすすめ おすすめ記事 推荐阅读 相关报道 相关文章 相关新闻 ' +
    '推薦閱讀 相關報導 相關文章 相關新聞 相关阅读 延伸阅读 相關閱讀 延伸閱讀 관련 관련기사 اقرأ',
);
/** First and second words of notes on affiliate links and on audio: texts often start with the first alone. */
const THESE: ReadonlySet<number> = hashWords('this our');
const PARTS: ReadonlySet<number> = hashWords(
  'post posts page pages article articles site sites blog website recipe recipes story content audio voice',
);
const MAX_ONWARD = 6;
const IDENTIFIER_LETTERS = 24;
const IDENTIFIER_WORDS = 5;
const OPENS_MARK = /^\s{0,99}[[©]/;
const OPENS_DATA = /^\s{0,99}(?:\{\s{0,9}"[^"]{1,60}"\s{0,9}:|\[\s{0,9}\{\s{0,9}"[^"]{1,60}"\s{0,9}:)/;
/** "4.9 from 87 votes" */
const RATING_WORDS = 6;
const DIGIT_FIRST = 2;
/** Least words of a title to which a label without a colon leads. */
const LEAST_LED = 3;
const LEGAL_WORDS = WORD_FAMILIES.indexOf('legal');
const DIALOG = 1 << TAG_FAMILIES.indexOf('dialog');

const JUNK_RULES: readonly JunkRule[] = [
  {
    name: 'hidden text',
    reason: 'readers can neither see nor open it',
    matches: ({ isHidden }) => isHidden,
  },
  {
    name: 'closed dialog',
    reason: 'a <dialog> without `open` is not shown until a script opens it',
    matches: ({ hidden, inDialog }) => inDialog && (hidden & HIDDEN_DIALOG) !== 0,
  },
  {
    name: 'hidden dialog',
    reason: 'consent, country and sign-up dialogs are hidden at first; tabs and accordions are no dialogs',
    matches: ({ hidden, inDialog }) => inDialog && hidden !== 0,
  },
  {
    name: 'consent',
    reason: 'asks for consent to cookies, and has a button that accepts',
    matches: ({ isConsent }) => isConsent,
  },
  {
    name: 'identifier',
    reason: 'a UUID or long hexadecimal number is for scripts',
    matches: ({ text }) => /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{24}[0-9a-f]*)$/i.test(text),
  },
  {
    name: 'gallery counter',
    reason: '"Image 1 of 5" is read out by screen readers in place of the picture',
    matches: ({ text }) => /^(?:image|photo|picture|slide|item|view)\s+\d+\s*(?:of|\/)\s*\d+$/i.test(text),
  },
  {
    name: 'script notice',
    reason: 'asks for scripts or another browser',
    matches: ({ text }) =>
      /(?:enable|activate|turn on) javascript|javascript (?:is|has been) (?:disabled|required)|browser (?:does not|doesn.t) support/i.test(
        text,
      ),
  },
  {
    name: 'placeholder',
    reason: 'shown until a script has loaded the content',
    matches: ({ text }) => /^(?:loading|please wait)\P{L}*$/iu.test(text),
  },
  {
    name: 'advertisement',
    reason: 'labels the space below it',
    matches: ({ text }) =>
      /^(?:advertisement|(?:story|article) continues below(?: this)? (?:ad|advertisement)|artikel gaat verder onder de (?:advertentie|video|foto))$/i.test(
        text,
      ),
  },
  {
    name: 'shortcode',
    reason: 'an unexpanded macro of the content management system',
    matches: ({ text }) =>
      /^(?:\[\/?[a-z][\w-]*(?: [^\]]*)?\]\s?)+$/i.test(text) && /^\[\/?(?:[a-z][a-z0-9]*[_-]|\w+ [\w-]+=)/i.test(text),
  },
  {
    name: 'related text',
    reason: 'a line with a label and a link ("READ MORE: …") leads to another text',
    matches: ({ text, label, isLinked }) =>
      isLinked && (RELATED.test(text) || (label !== '' && RELATED.test(`${label}:`))),
  },
  {
    name: 'legal line',
    reason: 'reserves rights, or links to terms and privacy',
    matches: ({ text }) => LEGAL.test(text),
  },
  {
    name: 'topics',
    reason: 'links to the sections and topics under which the site files the text',
    matches: ({ text, mayBeFiled }) => mayBeFiled && FILED.test(text),
  },
  {
    name: 'link onwards',
    reason: 'leads to the rest of a text or to what the text before it names ("Read more")',
    matches: ({ text, isLinked }) => isLinked && LEADS_ON.test(text),
  },
  {
    name: 'appeal',
    reason: 'asks readers to subscribe, follow, install or donate',
    matches: ({ text }) => APPEAL.test(text),
  },
  {
    name: 'control',
    reason: 'software of recipes, forums, mailing lists and newsletters adds it around the text',
    matches: ({ text }) => CONTROL.test(text),
  },
  {
    name: 'votes',
    reason: 'counts what readers think of a question or an answer',
    matches: ({ isVotes }) => isVotes,
  },
  {
    name: 'data',
    reason: 'data for scripts that was left in the text',
    matches: ({ isData }) => isData,
  },
  {
    name: 'filler',
    reason: 'Lorem ipsum is sample text of templates',
    matches: ({ text }) => /^lorem ipsum/i.test(text),
  },
];

/** Types of pages whose own text may ask readers to join or subscribe. */
const ASKING: ReadonlySet<PageType> = new Set(['service', 'product', 'collection']);

/**
 * Marks, block by block, the parts of a page that belong to other texts or to the software around the text: lists of other
 * texts, panels of each product, appeals, repeats and signatures, controls of lists.
 */
function findOtherParts(tree: Tree, blocks: Blocks, scopes: Scopes, pageType: PageType): readonly Uint8Array[] {
  const found = [
    findTitledSections(tree, blocks, scopes, pageType),
    findListControls(tree, blocks, scopes),
    findNamedPanels(tree, blocks, pageType),
    ASKING.has(pageType) ? undefined : findAppealPanels(tree, blocks),
    pageType === 'product' ? findOtherGoods(blocks, scopes) : undefined,
    pageType === 'forum' ? findPostExtras(tree, blocks) : undefined,
    pageType === 'article' ? findPullQuotes(tree, blocks) : undefined,
    pageType === 'article' ? findNextStories(tree, blocks) : undefined,
  ];
  return found.filter((marks) => marks !== undefined);
}

/** Returns a test for whether a rule excludes a block. */
export function createJunkTest(
  tree: Tree,
  blocks: Blocks,
  scopes: Scopes,
  pageType: PageType = 'article',
): (block: number) => boolean {
  const found = findDialogs(scopes);
  const inDialog = isWholePage(tree, blocks, scopes, found) ? new Uint8Array(scopes.count) : found;
  const dialogs = findConsent(tree, blocks);
  const otherParts = findOtherParts(tree, blocks, scopes, pageType);
  return (block) => {
    for (const marks of otherParts) if (marks[block] === 1) return true;
    const isConsent = dialogs.length > 0 && isInside(dialogs, blocks.rows[block * STRIDE + ELEMENT]);
    const hidden = blocks.rows[block * STRIDE + HIDDEN];
    const isHidden = isHiddenBlock(tree, blocks, block);
    const mayMatch = mayMatchText(tree, blocks, block);
    const isData = isDataBlock(tree, blocks, block);
    // Every rule needs one of these; most blocks have none.
    if (hidden === 0 && !isHidden && !mayMatch && !isConsent && !isData) return false;
    const text = mayMatch ? readBlockText(tree, blocks, block) : '';
    const candidate = {
      hidden,
      isHidden,
      isConsent,
      inDialog: inDialog[scopes.leaf[block]] === 1,
      text,
      label: readLabel(tree, blocks, block, text),
      isData,
      isVotes: countsVotes(tree, blocks, block, text),
      mayBeFiled: pageType === 'article' && blocks.rows[block * STRIDE + LINKS] > 0,
      isLinked: isLinkedBlock(blocks, block),
    };
    return JUNK_RULES.some((rule) => rule.matches(candidate));
  };
}

export function isHiddenBlock(tree: Tree, blocks: Blocks, block: number): boolean {
  return (tree.hidden[blocks.rows[block * STRIDE + ELEMENT]] ?? 0) !== 0;
}

function mayMatchText(tree: Tree, { rows, firstWords }: Blocks, block: number): boolean {
  const row = block * STRIDE;
  const words = rows[row + TOKENS];
  if (words > MEDIUM) return false;
  const first = firstWords[block * WORDS_KEPT];
  if (THESE.has(first) && PARTS.has(firstWords[block * WORDS_KEPT + 1])) return true;
  if (APPEAL_WORDS.has(first) || ((rows[row + FAMILIES] >> LEGAL_WORDS) & 1) === 1) return true;
  if (OPENS_MARK.test(tree.value[rows[row + FIRST]])) return true;
  if (words > SHORT) return false;
  if (FIRST_WORDS.has(first)) return true;
  if (rows[row + LINKS] > 0 && words <= MAX_ONWARD && ONWARD_WORDS.has(first)) return true;
  if (words <= RATING_WORDS && rows[row + OPENING] === DIGIT_FIRST) return true;
  return words <= IDENTIFIER_WORDS && rows[row + LETTERS] >= IDENTIFIER_LETTERS;
}

function readLabel(tree: Tree, { rows }: Blocks, block: number, text: string): string {
  const first = rows[block * STRIDE + FIRST];
  const isShort = rows[block * STRIDE + LINK_WORDS] < LEAST_LED;
  if (text === '' || isShort || tree.parent[first] === rows[block * STRIDE + ELEMENT]) return '';
  const label = tree.value[first].trim();
  return label.length < text.length ? label : '';
}

const COUNT = /^[+−-]?\d[\d,]{0,9}k?$/i;
const VOTES = /(?:^|[\s_-])(?:up|down)?votes?(?:count|cell)?(?:$|[\s_-])/i;
const MAX_NAME = 300;
const VOTES_LEVELS = 3;

function countsVotes({ parent, attributes }: Tree, { rows }: Blocks, block: number, text: string): boolean {
  if (!COUNT.test(text)) return false;
  let node = rows[block * STRIDE + ELEMENT];
  for (let level = 0; level < VOTES_LEVELS && node > 0; level++, node = parent[node])
    if (attributes[node]?.some(({ name, value }) => name === 'class' && VOTES.test(value.slice(0, MAX_NAME))) === true)
      return true;
  return false;
}

function isDataBlock(tree: Tree, { rows }: Blocks, block: number): boolean {
  const row = block * STRIDE;
  return rows[row + CODE_WORDS] === 0 && OPENS_DATA.test(tree.value[rows[row + FIRST]]);
}

function isLinkedBlock({ rows }: Blocks, block: number): boolean {
  const row = block * STRIDE;
  if (rows[row + LINKS] === 0) return false;
  // In scripts without spaces a text is one token.
  return rows[row + LINK_WORDS] * 2 >= rows[row + WORDS] || rows[row + TOKENS] <= rows[row + LINKS] * 2;
}

/**
 * Words beside the dialogs for consent; a page with fewer shows nothing else, which is worth a warning. A short page has as
 * many beside them as in them, links not counted.
 */
const LEAST_BESIDE_CONSENT = 60;
const LEAST_ON_SHORT_PAGE = 12;

function findConsent(tree: Tree, blocks: Blocks): readonly ConsentDialog[] {
  const dialogs = findConsentDialogs(tree);
  if (dialogs.length === 0) return dialogs;
  let beside = 0;
  let besideLinks = 0;
  let inside = 0;
  for (let row = 0; row < blocks.count * STRIDE; row += STRIDE) {
    if (isInside(dialogs, blocks.rows[row + ELEMENT])) inside += blocks.rows[row + TOKENS];
    else {
      beside += blocks.rows[row + TOKENS];
      besideLinks += blocks.rows[row + TOKENS] - blocks.rows[row + LINK_WORDS];
    }
  }
  const isShown = beside >= LEAST_BESIDE_CONSENT || besideLinks >= Math.max(LEAST_ON_SHORT_PAGE, inside);
  return isShown ? dialogs : [];
}

function isInside(dialogs: readonly ConsentDialog[], node: number): boolean {
  return dialogs.some(({ first, end }) => node >= first && node < end);
}

/** Words outside the dialogs of a page that shows nothing else, and least words inside. */
const LITTLE_AROUND = 40;
const MUCH_INSIDE = 60;
const MAX_CONSENT = 2000;

/** Whether a page shows its content in a dialog: next to nothing is around it, and it does not ask for consent. */
function isWholePage(tree: Tree, blocks: Blocks, scopes: Scopes, inDialog: Uint8Array): boolean {
  if (!inDialog.includes(1)) return false;
  let inside = 0;
  let outside = 0;
  let text = '';
  for (let block = 0; block < blocks.count && outside < LITTLE_AROUND; block++) {
    const words = blocks.rows[block * STRIDE + TOKENS];
    if (inDialog[scopes.leaf[block]] !== 1) outside += isHiddenBlock(tree, blocks, block) ? 0 : words;
    else {
      inside += words;
      if (text.length < MAX_CONSENT) text += readBlockText(tree, blocks, block).slice(0, MAX_CONSENT);
    }
  }
  return outside < LITTLE_AROUND && inside >= MUCH_INSIDE && (text.match(CONSENT)?.length ?? 0) < 2;
}

/** 1 for each scope that is or contains a dialog. */
function findDialogs({ count, parent, tagBits }: Scopes): Uint8Array {
  const inside = new Uint8Array(count);
  for (let scope = 0; scope < count; scope++) {
    const above = parent[scope];
    inside[scope] = (tagBits[scope] & DIALOG) !== 0 || (above >= 0 && inside[above] === 1) ? 1 : 0;
  }
  return inside;
}
