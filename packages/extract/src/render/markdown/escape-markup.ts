import type { Root } from 'mdast';
import { defaultHandlers, type Handle, type State } from 'mdast-util-to-markdown';

/**
 * May start an element, a comment or an autolink. Some renderers know no `\<`: they would show a backslash before an
 * active element.
 */
const OPENING = /<(?![\s\d=])/g;
/** Starts a character reference. */
const REFERENCE = /&(?=#?\w{1,40};)/g;
/** Starts a character reference if the next text ends it. */
const OPEN_REFERENCE = /&(?=#?\w{0,40}$)/g;
const REFERENCE_PART = /^[#;\w]/;
/** An attribute if a renderer without autolinks treats the angle brackets as an element, or the end of a label. */
const ACTIVE_ATTRIBUTE = /[/'](?:on\w*|style)=|\]\(/i;
/** A brace of more than plain words: Python-Markdown reads `{onclick=…}` as attributes of the element before it. */
const ATTRIBUTE_LIST = /\{(?![^{}=\n]*\})/g;
/** A definition of one word, perhaps with a title in quotes or parentheses. */
const ADDRESS_LINE = /^\[\^[^\]]+\]: *[^\s]+ *(?:["'(|]|\\?$)/;
/** Macros with which renderers of formulas open addresses or write HTML. */
const ACTIVE_MACRO =
  '(?:csname|cssId|href|html(?:Class|Data|Id|Style)|includegraphics|mathtip|mmlToken|require|texttip|url)(?![A-Za-z])|(?:class|data|style) ?\\{';

/** Writes a document whose texts, addresses and titles contain no HTML, and no active macro of TeX. */
export const writeRoot: Handle = (node: Root, parent, state, info) => {
  escapeTexts(state);
  escapeDefinitions(state);
  return defaultHandlers.root(node, parent, state, info);
};

function escapeTexts(state: State): void {
  const isReplaced = ({ character, inConstruct }: State['unsafe'][number]): boolean =>
    character === '&' || (character === '<' && inConstruct !== 'autolink');
  state.unsafe = state.unsafe.filter((pattern) => !isReplaced(pattern));
  // In a formula, `\\href` is a line break before letters.
  state.unsafe.push({ character: '\\', after: ACTIVE_MACRO, inConstruct: 'phrasing' });
  const safe = state.safe.bind(state);
  state.safe = (text, config) => {
    if (state.stack.includes('autolink')) return safe(text, config);
    const escaped = escapeMarkup(text ?? '', config.after).replace(ATTRIBUTE_LIST, '&#123;');
    // Some renderers end an image at the first `>`, and a label at the first `](`, escaped or not.
    const inLabel = state.stack.includes('label') ? escaped.replaceAll('](', ']&#40;') : escaped;
    return safe(state.stack.includes('image') ? inLabel.replaceAll('>', '&gt;') : inLabel, config);
  };
}

/** Renderers without footnotes treat a definition of one word as the address of a link, and may not escape quotes. */
function escapeDefinitions({ handlers }: State): void {
  const write = handlers.footnoteDefinition;
  handlers.footnoteDefinition = (node, parent, state, info) => {
    const definition = write(node, parent, state, info);
    const end = definition.search(/\n|$/);
    // A dollar before some signs is a pattern of JavaScript's `replace`.
    const line = definition.slice(0, end).replace(/\$(?=[$&'`])/g, '&#36;');
    return (ADDRESS_LINE.test(line) ? line.replaceAll('"', '&quot;') : line) + definition.slice(end);
  };
}

/**
 * Writes `<` and `&` as character references where they could start an element or a character reference.
 *
 * @param after the character after the text
 */
function escapeMarkup(text: string, after = ''): string {
  const escaped = text.replace(REFERENCE, '&amp;').replace(OPENING, '&lt;');
  return REFERENCE_PART.test(after) ? escaped.replace(OPEN_REFERENCE, '&amp;') : escaped;
}

/** Whether an address may stand in angle brackets. */
export function isBracketable(address: string): boolean {
  return !ACTIVE_ATTRIBUTE.test(address);
}
