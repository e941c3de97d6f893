import type { ContentBlock } from '../../types/extraction.ts';
import { BLOCK, CUSTOM_BLOCK, OTHER, TAG, TAG_FLAGS, VOID, type KnownTag } from '../../tree/tags.ts';
import type { Tree } from '../../tree/tree.ts';
import { classifyItems, DATA_TABLE, LINE_NUMBERS, SHORT_ITEM } from '../layout/classify-items.ts';
import { APART, readApart } from '../layout/inline-parts.ts';
import { GAP, TAG_GAP } from '../layout/layout-rules.ts';
import { followsParenthesis } from '../layout/ruby.ts';
import { TextWriter } from './text-writer.ts';
import { isDisplayed, readFormula } from '../../tree/text/formulas.ts';
import { needsSpace } from '../../tree/text/word-edges.ts';

/** Effect of an element on the text inside; the end of an element without a role is ignored. */
const ROLE = { none: 0, block: 1, preformatted: 2, code: 3, script: 4, link: 5, holder: 6, cell: 7, row: 8, signed: 9 };

const NAMED_ROLES: Readonly<Record<Exclude<keyof typeof ROLE, 'none' | 'block'>, readonly KnownTag[]>> = {
  preformatted: ['pre', 'textarea'],
  code: ['code', 'kbd', 'samp', 'tt', 'var'],
  script: ['sub', 'sup'],
  link: ['a'],
  holder: ['dd', 'li', 'table'],
  cell: ['td', 'th'],
  row: ['tr'],
  signed: ['q', 'rt'],
};

/** By `APART`; a note is a part of its line. */
const GAP_OF_APART: readonly number[] = [GAP.none, GAP.line, GAP.none, GAP.soft, GAP.space];

const TAG_ROLE: Uint8Array = rolesByCode();

/** Follows elements in document order and turns their edges into gaps between texts. */
export class TextLayout {
  readonly #tree: Tree;
  readonly #kinds: Uint8Array;
  readonly #writer = new TextWriter();
  /** Open elements with a role, outermost first, and the end of the innermost. */
  readonly #open: number[] = [];
  #end = Infinity;
  /** Kinds of the open list items and tables, innermost last, see `classifyItems`. */
  readonly #holders: number[] = [];
  /** Number of open elements of a role. */
  #preformatted = 0;
  #code = 0;
  #script = 0;
  #dataCells = 0;
  #rowCells = 0;
  /** The innermost open link, and the link of the last text; -1 for none. */
  #link = -1;
  #lastLink = -1;
  /** Open inline elements on a line of their own. */
  readonly #lines: number[] = [];
  /** Open elements that end with a sign. */
  readonly #signed: { node: number; sign: string }[] = [];

  constructor(tree: Tree, blocks: readonly ContentBlock[]) {
    this.#tree = tree;
    const [first] = blocks;
    this.#kinds = classifyItems(tree, blocks, first?.first ?? tree.size, blocks.at(-1)?.end ?? 0);
  }

  leaveBefore(node: number): void {
    while (this.#end <= node) this.#closeElement(this.#open.pop()!);
  }

  /** Whether an element only contains the line numbers of code beside it. */
  isLineNumbers(node: number): boolean {
    return this.#kinds[node] === LINE_NUMBERS;
  }

  openElement(node: number, isContent: boolean): void {
    const tag = this.#tree.tag[node];
    if (tag === TAG.br) return this.#breakLine(isContent);
    if (tag === TAG.wbr) return this.#writer.join();
    const role = TAG_ROLE[tag];
    const apart = readApart(this.#tree, node);
    if (tag === OTHER && apart === APART.none && !this.#tree.value[node].includes('-')) return;
    if (role === ROLE.cell && this.#holders.at(-1) === DATA_TABLE) this.#partCell();
    else this.#part(apart === APART.none ? TAG_GAP[tag] : GAP_OF_APART[apart]);
    if (role === ROLE.none && (apart === APART.none || apart >= APART.word)) return;
    if (apart === APART.line) this.#lines.push(node);
    else if (apart === APART.note && isContent) this.#openNote(node);
    this.#open.push(node);
    this.#end = this.#tree.end[node];
    this.#takeRole(node, role, isContent);
  }

  writeText(data: string): void {
    if (this.#preformatted > 0) this.#writer.writeVerbatim(data);
    else {
      if (this.#code === 0) this.#partWords(data);
      this.#writer.writeFlowing(data);
    }
    this.#lastLink = this.#link;
  }

  writeFormula(math: number): void {
    const isApart = isDisplayed(this.#tree, math);
    if (isApart) this.#part(GAP.line);
    this.writeText(readFormula(this.#tree, math));
    if (isApart) this.#part(GAP.line);
  }

  finish(): string {
    this.leaveBefore(this.#tree.size);
    return this.#writer.finish();
  }

  #takeRole(node: number, role: number, isContent: boolean): void {
    if (role === ROLE.preformatted) this.#preformatted++;
    if (role === ROLE.preformatted || role === ROLE.code) this.#code++;
    else if (role === ROLE.script) this.#script++;
    else if (role === ROLE.link) this.#link = node;
    else if (role === ROLE.holder) this.#holders.push(this.#kinds[node]);
    else if (role === ROLE.row) this.#rowCells = 0;
    else if (role === ROLE.cell && this.#holders.at(-1) === DATA_TABLE) this.#dataCells++;
    else if (role === ROLE.signed && isContent) this.#openSign(node);
  }

  #closeElement(node: number): void {
    const tag = this.#tree.tag[node];
    const role = TAG_ROLE[tag];
    this.#end = this.#open.length === 0 ? Infinity : this.#tree.end[this.#open.at(-1)!];
    if (role === ROLE.preformatted) this.#preformatted--;
    if (role === ROLE.preformatted || role === ROLE.code) this.#code--;
    else if (role === ROLE.script) this.#script--;
    else if (role === ROLE.link) this.#link = -1;
    else if (role === ROLE.holder) this.#holders.pop();
    else if (role === ROLE.signed || this.#signed.at(-1)?.node === node) this.#closeSign(node);
    else if (role === ROLE.cell && this.#holders.at(-1) === DATA_TABLE) {
      // The next cell adds the gap.
      this.#dataCells--;
      return;
    }
    if (this.#lines.at(-1) === node) {
      this.#lines.pop();
      this.#part(GAP.line);
    } else this.#part(TAG_GAP[tag]);
  }

  /** Code and short list items have no paragraphs; in a row only code has several lines. */
  #part(gap: number): void {
    if (gap === GAP.none) return;
    if (this.#preformatted > 0) this.#writer.part(Math.min(gap, GAP.line));
    else if (this.#dataCells > 0) this.#writer.part(Math.min(gap, GAP.space));
    else if (this.#holders.at(-1) === SHORT_ITEM) this.#writer.part(Math.min(gap, GAP.line));
    else this.#writer.part(gap);
  }

  #partCell(): void {
    if (this.#dataCells > 0) this.#writer.part(GAP.space);
    else if (this.#rowCells++ > 0) this.#writer.part(GAP.cell);
  }

  #breakLine(isContent: boolean): void {
    if (this.#preformatted > 0 && isContent) this.#writer.writeVerbatim('\n');
    else if (this.#dataCells > 0 || this.#holders.at(-1) === SHORT_ITEM) this.#part(GAP.line);
    else this.#writer.breakLine();
  }

  #partWords(data: string): void {
    const seam = {
      before: this.#writer.last,
      after: data,
      startsLink: this.#link >= 0 && this.#link !== this.#lastLink,
      followsLink: this.#lastLink >= 0,
      isScript: this.#script > 0,
      isJoined: this.#writer.isJoined,
    };
    if (needsSpace(seam)) this.#writer.part(GAP.space);
  }

  #openSign(node: number): void {
    const isQuote = this.#tree.tag[node] === TAG.q;
    if (!isQuote && followsParenthesis(this.#tree, node)) return;
    this.#writer.writeFlowing(isQuote ? '“' : '(');
    this.#signed.push({ node, sign: isQuote ? '”' : ')' });
  }

  #openNote(node: number): void {
    this.#part(GAP.space);
    this.#writer.writeFlowing('(');
    this.#signed.push({ node, sign: ')' });
  }

  #closeSign(node: number): void {
    if (this.#signed.at(-1)?.node !== node) return;
    this.#writer.writeFlowing(this.#signed.pop()!.sign);
  }
}

function rolesByCode(): Uint8Array {
  const roles = new Uint8Array(256);
  for (const code of Object.values(TAG)) {
    if ((TAG_FLAGS[code] & (BLOCK | VOID)) === BLOCK) roles[code] = ROLE.block;
  }
  roles[OTHER] = roles[CUSTOM_BLOCK] = ROLE.block;
  for (const [role, code] of Object.entries(ROLE)) {
    if (!isNamedRole(role)) continue;
    for (const name of NAMED_ROLES[role]) roles[TAG[name]] = code;
  }
  return roles;
}

function isNamedRole(role: string): role is keyof typeof NAMED_ROLES {
  return role in NAMED_ROLES;
}
