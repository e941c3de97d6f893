import { BLOCK, DROPPED, TAG, TAG_FLAGS, TEXT } from '../tree/tags.ts';
import { getAttribute, type Tree } from '../tree/tree.ts';
import { readBlockText } from './blocks/block-text.ts';
import { ELEMENT, HOLDER, STRIDE, TOKENS, type Blocks } from './blocks/blocks.ts';
import { listWords, WordRuns } from './word-runs.ts';

const SIGNATURE =
  /^(?:_?sig\d{1,12}|(?:[\w-]{0,30}[_-]|(?:anon|post|message|user|member))?signature(?:\d{1,12}|[_-][\w-]{0,30}|container|content|text|wrapper)?)$/i;
/** Facts about the author beside a post. */
const PROFILE =
  /^(?:(?:author|poster|user|member)[_-]?(?:info|information|extras?|details?|stats?|statistics|profile|title|pane)(?:_?extra)?|postprofile|message-user(?:extras|details)?|cauthorpane\w{0,20})$/i;
const MAX_PROFILE = 40;
const MAX_PROFILE_NODES = 300;
const QUOTE = /quote/i;
const NO_QUOTE = /icon|button|btn|controls?|toggle|select|request|get-?a/i;
const CITATION = /(?:^|[\s_-])(?:cit(?:e|ation)|title|header|postedby|author|expandlink)(?:$|[\s_-])/i;
const MAX_NAME = 300;
/** Words of a quote that no earlier post has: its author and date, a link to expand it, and a share of the quote. */
const MOST_BEFORE = 12;
const MOST_AFTER = 3;
const OTHER_SHARE = 0.2;
/** Quotes may be nested: each word is read at most this often. */
const MAX_READS = 6;

const MAX_LEVELS = 8;
/** Words of a line of the software. */
const MAX_LINE = 10;
/** The day of a post with its label or number, and what readers can do with a post. */
const LINE: RegExp = new RegExp(
  `^(?:${[
    '#?\\d{1,5}[ ,·|–-]{1,3}(?:\\p{L}{2,9}[.,]? )?\\d{1,4}[-./]\\d{1,2}[-./]\\d{1,4}(?:\\D{0,4}\\d{1,2}:\\d\\d.{0,6})?$',
    '(?:#?\\d{1,5} )?(?:posted|verfasst am|geschrieben(?: am)?|erstellt am|posté le|écrit le|publicado(?: el)?|escrito el|enviado(?: el)?|inviato(?: il)?|scritto il|wysłany|napisany|geplaatst op|добавлено|отправлено|skrevet|skrivet|postad|lähetetty)\\s?:? .{0,40}\\d{1,2}[:.]\\d\\d.{0,12}$',
    "\\d[\\d,.]{0,8} likes?(?: \\d[\\d,.]{0,8} shares?)?$|[\\p{L}\\p{N}_.-]{2,30} (?:says|sagt|dit|dice|diz|zegt|säger|siger|sier|mówi|говорит)\\s?:$|(?:sun|mon|tue|wed|thu|fri|sat)[a-z]{0,6},? (?:\\d{1,2} )?[a-z]{3,9}\\.? (?:\\d{1,2}(?:st|nd|rd|th)?,? )?['’]?\\d{2,4},?(?: at)? \\d{1,2}:\\d\\d.{0,6}$",
    '(?:click to (?:expand|enlarge)|zum vergrößern anklicken)\\W*$',
    '(?:reply with quote|quote(?: this)?(?: post)?|multi-?quote|report(?: this)?(?: post| to moderator)?|(?:send )?(?:private message|pm)|ip logged|permalink)$',
    '(?:antworten )?mit zitat(?: antworten)?$|(?:beitrag )?(?:zitieren|melden)$|nach oben$|répondre en citant$|citer$|haut$|responder citando$|citar$|rispondi citando$|cita$|odpowiedz z cytatem$|cytuj$|цитировать$|ответить с цитатой$|citeren$|citera$|zitat$',
  ].join('|')})`,
  'iu',
);
/** Heads of the columns of posts. */
const HEAD =
  /^(?:author|autor|auteur|autore|автор|forfatter|författare|message|nachricht|mensaje|mensagem|messaggio|bericht|wiadomość|сообщение)$/iu;

/**
 * Marks signatures, facts about authors, lines of the software, and quotes of text that stands earlier on the page, in the
 * posts of a forum; undefined without any.
 */
export function findPostExtras(tree: Tree, blocks: Blocks): Uint8Array | undefined {
  const extras = new PostExtras(tree).find();
  const lines = listLines(tree, blocks);
  if (extras.length + lines.length === 0) return undefined;
  const marks = new Uint8Array(blocks.count);
  for (const block of lines) marks[block] = 1;
  for (const node of extras) marks.fill(1, blocks.before[node], blocks.before[tree.end[node]]);
  return marks;
}

function listLines(tree: Tree, blocks: Blocks): number[] {
  const lines: number[] = [];
  for (let block = 0; block < blocks.count; block++) {
    const row = block * STRIDE;
    if (blocks.rows[row + TOKENS] > MAX_LINE) continue;
    const pattern = blocks.rows[row + HOLDER] === TAG.th ? HEAD : LINE;
    if (pattern.test(readBlockText(tree, blocks, block)) && !isQuoted(tree, blocks.rows[row + ELEMENT]))
      lines.push(block);
  }
  return lines;
}

/** Whether an element is in a quote, which keeps its own author and day. */
function isQuoted({ tag, parent }: Tree, element: number): boolean {
  for (let node = element, level = 0; node > 0 && level < MAX_LEVELS; node = parent[node], level++)
    if (tag[node] === TAG.blockquote) return true;
  return false;
}

class PostExtras {
  readonly #tree: Tree;
  readonly #runs = new WordRuns();
  #left: number;

  constructor(tree: Tree) {
    this.#tree = tree;
    this.#left = MAX_READS * tree.size;
  }

  find(): number[] {
    const { size, tag, end, value } = this.#tree;
    const found: number[] = [];
    let heading = -1;
    for (let node = 1; node < size; node++) {
      const code = tag[node];
      if (code === TEXT) this.#runs.learn(value[node]);
      else if ((TAG_FLAGS[code] & DROPPED) !== 0) node = end[node] - 1;
      else if ((TAG_FLAGS[code] & BLOCK) !== 0 || code === TAG.table || code === TAG.td) {
        const names = this.#readNames(node);
        const isQuote = code === TAG.blockquote || (QUOTE.test(names) && !NO_QUOTE.test(names));
        if (isSignature(names) || (isProfile(names) && this.#countWords(node) <= MAX_PROFILE)) found.push(node);
        else if (!isQuote) continue;
        else if (this.#isCopy(node)) {
          found.push(node);
          // "Rosa wrote:"
          if (heading >= 0 && this.#isRightAfter(heading, node)) found.push(heading);
        } else {
          heading = node;
          continue;
        }
        node = end[node] - 1;
      }
    }
    return found;
  }

  #readNames(node: number): string {
    const own = this.#tree.attributes[node];
    if (own === undefined) return '';
    let names = '';
    for (const { name, value } of own)
      if (name === 'class' || name === 'id' || name === 'data-role') names += ` ${value.slice(0, MAX_NAME)}`;
    return names;
  }

  /** Whether the text of a quote stands earlier on the page, but for its author and date. */
  #isCopy(quote: number): boolean {
    const { start, covered, others } = this.#runs.cover(this.#listWords(quote));
    return start >= 0 && start <= MOST_BEFORE && others <= MOST_AFTER + OTHER_SHARE * covered;
  }

  #listWords(quote: number): string[] {
    const { tag, end, value } = this.#tree;
    const words: string[] = [];
    for (let node = quote; node < end[quote] && this.#left > 0; node++, this.#left--) {
      if (tag[node] === TEXT) for (const word of listWords(value[node])) words.push(word);
      else if (tag[node] === TAG.cite || (TAG_FLAGS[tag[node]] & DROPPED) !== 0) node = end[node] - 1;
      else if (node > quote && CITATION.test(getAttribute(this.#tree, node, 'class')?.slice(0, MAX_NAME) ?? ''))
        node = end[node] - 1;
    }
    return words;
  }

  /** More than `MAX_PROFILE` for an element of too many nodes. */
  #countWords(node: number): number {
    const { tag, end, value } = this.#tree;
    if (end[node] - node > MAX_PROFILE_NODES) return Infinity;
    let words = 0;
    for (let inner = node; inner < end[node] && words <= MAX_PROFILE; inner++)
      if (tag[inner] === TEXT) words += listWords(value[inner]).length;
    return words;
  }

  #isRightAfter(before: number, node: number): boolean {
    const { parent, end, tag, value } = this.#tree;
    if (parent[before] !== parent[node]) return false;
    let words = 0;
    for (let inner = before; inner < node; inner++) {
      if (tag[inner] !== TEXT) continue;
      if (inner >= end[before] && value[inner].trim() !== '') return false;
      words += listWords(value[inner]).length;
    }
    return words <= MOST_BEFORE;
  }
}

function isSignature(names: string): boolean {
  return /sig/i.test(names) && names.split(/\s+/).some((name) => SIGNATURE.test(name));
}

function isProfile(names: string): boolean {
  return /user|author|post|member/i.test(names) && names.split(/\s+/).some((name) => PROFILE.test(name));
}
