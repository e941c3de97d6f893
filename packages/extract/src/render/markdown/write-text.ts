import type { Text } from 'mdast';
import type { Handle } from 'mdast-util-to-markdown';
import { isBracketable } from './escape-markup.ts';

/** Longer tokens are data and are escaped as text. */
const MAX_ADDRESS = 2_048;
const MAX_EMAIL = 320;

const TOKEN = /\S+/g;
const ADDRESS_START = /(?:https?:\/\/|www\.)(?=[\p{L}\p{N}])/iu;
const EMAIL = /(?<![\w.+-])[\w.+-]+@(?:[a-z\d-]+\.)+[a-z]{2,}/i;
/** Reserved in Markdown, or the end of an address in angle brackets. */
const RESERVED = /[*`[\]\\|!<>~]/;
/** An underscore that may open or close emphasis: not between two letters or digits. */
const EMPHASIS = /(?<![\p{L}\p{N}_])_|_(?![\p{L}\p{N}_])/u;
/** Characters of an address in angle brackets; a bar would end a cell. */
const BRACKETABLE = /^https?:\/\/[!#-;=?-[\]^_a-z{}~]+/i;
const PUNCTUATION = /^\p{P}/u;
/** Punctuation of the sentence at the end of an address, as in GitHub Markdown. */
const TRAILING = /[\]}.,;:!?'"*]/;
/** Characters that may follow a bare address. */
const SPACE_OR_END = /^(?:[\s|]|$)/;
const NO_BRACKETS: ReadonlySet<string> = new Set(['image', 'label', 'link']);

/**
 * Writes text without backslashes in web and e-mail addresses. Angle brackets protect a bare address that CommonMark
 * would read as markup.
 */
export const writeMarkdownText: Handle = (node: Text, _parent, state, info) => {
  const { value } = node;
  if (state.stack.includes('autolink')) return state.safe(value, info);
  if (!value.includes('://') && !value.includes('@') && !/www\./i.test(value)) return state.safe(value, info);
  const hasBrackets = !state.stack.some((name) => NO_BRACKETS.has(name));
  const pieces: string[] = [];
  let done = 0;
  const writePlain = (end: number, after: string): void => {
    if (end === done) return;
    const before = pieces.at(-1)?.slice(-1) ?? info.before;
    pieces.push(state.safe(value.slice(done, end), { ...info, before, after }));
    done = end;
  };
  for (const { 0: token, index } of value.matchAll(TOKEN)) {
    const end = index + token.length;
    const found = findAddress(token, hasBrackets, end === value.length ? info.after : ' ');
    if (found === undefined) continue;
    writePlain(index + found.start, found.markdown.charAt(0));
    pieces.push(found.markdown);
    done = index + found.end;
  }
  writePlain(value.length, info.after);
  return pieces.join('');
};

interface FoundAddress {
  readonly start: number;
  readonly end: number;
  readonly markdown: string;
}

function findAddress(token: string, hasBrackets: boolean, after: string): FoundAddress | undefined {
  if (token.length > MAX_ADDRESS) return undefined;
  const start = token.search(ADDRESS_START);
  if (start < 0) return findEmail(token, hasBrackets, after);
  const address = token.slice(start);
  if (SPACE_OR_END.test(after) && isPlain(address)) return { start, end: token.length, markdown: address };
  if (!hasBrackets) return undefined;
  const run = BRACKETABLE.exec(address)?.[0] ?? '';
  if (run === '' || !(run === address || PUNCTUATION.test(address.slice(run.length)))) return undefined;
  const bare = trimSentence(run);
  if (!isBracketable(bare)) return undefined;
  return { start, end: start + bare.length, markdown: `<${bare}>` };
}

function trimSentence(address: string): string {
  let unopened = 0;
  for (const sign of address) unopened += sign === ')' ? 1 : sign === '(' ? -1 : 0;
  let end = address.length;
  for (; end > 0; end--) {
    const sign = address.charAt(end - 1);
    if (sign === ')' && unopened > 0) unopened--;
    else if (!TRAILING.test(sign)) break;
  }
  return address.slice(0, end);
}

function findEmail(token: string, hasBrackets: boolean, after: string): FoundAddress | undefined {
  const match = token.length > MAX_EMAIL ? null : EMAIL.exec(token);
  if (match === null) return undefined;
  const isBare = SPACE_OR_END.test(after) && isPlain(token);
  if (!isBare && !hasBrackets) return undefined;
  const [email] = match;
  return { start: match.index, end: match.index + email.length, markdown: isBare ? email : `<${email}>` };
}

function isPlain(text: string): boolean {
  const hasReference = text.includes('&') && text.includes(';');
  return !hasReference && !RESERVED.test(text) && !EMPHASIS.test(text);
}
