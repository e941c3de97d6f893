import type { Properties } from 'hast';
import type { UrlResolver } from '../../tree/url-resolver.ts';
import { markTags, TAG, TEXT } from '../../tree/tags.ts';
import { getAttribute, type Tree } from '../../tree/tree.ts';

type Reader = (tree: Tree, node: number, urls: UrlResolver) => Properties;

/** Kept attributes by tag code; `dir` is kept on every element. */
const READERS: ReadonlyMap<number, Reader> = new Map([
  [TAG.a, readLink],
  [TAG.abbr, (tree, node) => readText(tree, node, 'title', 'title')],
  [TAG.li, (tree, node) => readNumber(tree, node, 'value')],
  [TAG.ol, readNumbering],
  [TAG.pre, readCodeLanguage],
  [TAG.td, readSpans],
  [TAG.th, readSpans],
  [TAG.time, (tree, node) => readText(tree, node, 'datetime', 'dateTime')],
]);

const MAX_TEXT = 500;
/** Readers create every cell that a span covers. */
const MAX_SPAN = 50;

const CODE_LANGUAGE =
  /(?:^|\s)(?:(?:language|lang|highlight-source|highlight)-|sourceCode\s+|brush:\s*)([a-z][\w+#.]{0,29})(?=[\s;]|$)/i;
const HIGHLIGHTED = /^\s*(?:hljs\s+([a-z][\w+#.]{0,29})|([a-z][\w+#.]{0,29})\s+hljs)\s*$/i;
/** `data-language`, or with the name of a highlighter. */
const LANGUAGE_ATTRIBUTE = /^data-(?:[a-z]{1,20}-)?lang(?:uage)?$/;
const LANGUAGE_NAME = /^[a-z][\w+#.]{0,29}$/i;
const NO_LANGUAGE: ReadonlySet<string> = new Set(['default', 'nohighlight', 'none', 'plain', 'plaintext', 'text']);

const CELLS = markTags('table', 'tbody', 'td', 'tr');
const HUMAN_LANGUAGES: ReadonlySet<string> = new Set(
  'ar bg ca da de en es et fa fi fr he hi hu id it ja ko lt lv nb nl nn no pt ro ru sk sl sv th tr uk vi zh'.split(' '),
);

/** The allow-listed attributes of a node in hast's names, with absolute addresses. */
export function readAttributes(tree: Tree, node: number, urls: UrlResolver): Properties {
  const reader = READERS.get(tree.tag[node]);
  if (tree.attributes[node] === undefined && reader !== readCodeLanguage) return {};
  const direction = getAttribute(tree, node, 'dir')?.toLowerCase();
  return {
    ...(direction === 'rtl' || direction === 'ltr' ? { dir: direction } : {}),
    ...reader?.(tree, node, urls),
  };
}

function readLink(tree: Tree, node: number, urls: UrlResolver): Properties {
  const url = urls.resolve(getAttribute(tree, node, 'href') ?? '');
  return url === null ? {} : { href: url };
}

function readText(tree: Tree, node: number, attribute: string, property: string): Properties {
  const text = getAttribute(tree, node, attribute);
  return text === undefined || text.length > MAX_TEXT ? {} : { [property]: text.toWellFormed() };
}

const NUMBERING = /^[1aAiI]$/;

function readNumbering(tree: Tree, node: number): Properties {
  const type = getAttribute(tree, node, 'type') ?? '';
  return {
    ...readNumber(tree, node, 'start'),
    ...(getAttribute(tree, node, 'reversed') === undefined ? {} : { reversed: true }),
    ...(NUMBERING.test(type) && type !== '1' ? { type } : {}),
  };
}

function readNumber(tree: Tree, node: number, name: string): Properties {
  const number = getAttribute(tree, node, name);
  return number !== undefined && /^\d{1,6}$/.test(number) ? { [name]: Number(number) } : {};
}

function readSpans(tree: Tree, node: number): Properties {
  return { ...readSpan(tree, node, 'colspan', 'colSpan'), ...readSpan(tree, node, 'rowspan', 'rowSpan') };
}

function readSpan(tree: Tree, node: number, attribute: string, property: string): Properties {
  const span = Number(getAttribute(tree, node, attribute) ?? 1);
  return Number.isInteger(span) && span > 1 && span <= MAX_SPAN ? { [property]: span } : {};
}

function readCodeLanguage(tree: Tree, pre: number): Properties {
  for (const node of [pre, findChild(tree, pre), ...listAround(tree, pre)]) {
    const data = node < pre ? undefined : readLanguageData(tree, node);
    const language = (readLanguageClass(tree, node) ?? data)?.toLowerCase();
    if (language !== undefined && !NO_LANGUAGE.has(language) && !HUMAN_LANGUAGES.has(language))
      return { className: [`language-${language}`] };
  }
  return {};
}

/** The two elements around code, without the table in which its lines are numbered. */
function listAround(tree: Tree, pre: number): number[] {
  const around: number[] = [];
  for (let node = tree.parent[pre]; node > 0 && around.length < 2; node = tree.parent[node])
    if (CELLS[tree.tag[node]] !== 1) around.push(node);
  return around;
}

function readLanguageClass(tree: Tree, node: number): string | undefined {
  const names = (getAttribute(tree, node, 'class') ?? '').slice(0, MAX_TEXT);
  const match = CODE_LANGUAGE.exec(names) ?? HIGHLIGHTED.exec(names);
  return match?.[1] ?? match?.[2];
}

function readLanguageData(tree: Tree, node: number): string | undefined {
  const name = tree.attributes[node]?.find((one) => LANGUAGE_ATTRIBUTE.test(one.name))?.value ?? '';
  return LANGUAGE_NAME.test(name) ? name : undefined;
}

function findChild(tree: Tree, node: number): number {
  let child = node + 1;
  while (child < tree.end[node] && tree.tag[child] === TEXT) child++;
  return child < tree.end[node] ? child : node;
}
