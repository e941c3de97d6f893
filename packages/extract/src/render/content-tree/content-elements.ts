import { BLOCK, TAG, TAG_FLAGS, type KnownTag } from '../../tree/tags.ts';

/** Role of an element in cleaned content; elements without a role become text. */
export const ROLE = {
  none: 0,
  textBlock: 1,
  /** Contains blocks; direct text becomes paragraphs. */
  flow: 2,
  /** Like `flow`, but a single paragraph has no `<p>`. */
  item: 3,
  /** Contains only its own parts, such as rows or items. */
  group: 4,
  /** Separates paragraphs and is not kept. */
  edge: 5,
  preformatted: 6,
  inline: 7,
  image: 8,
  lineBreak: 9,
  rule: 10,
  wordBreak: 11,
  /** A checkbox. */
  input: 12,
  /** Reading of a ruby base (`<rt>`). */
  reading: 13,
} as const;

export interface ElementRule {
  readonly role: number;
  readonly name: string;
  /** Allowed parents; elsewhere the element only separates paragraphs. */
  readonly parents?: readonly string[];
  /** Kept when empty, because position matters. */
  readonly keepsPlace?: true;
}

const LISTS = ['ol', 'ul'];
const ROW_GROUPS = ['table', 'thead', 'tbody', 'tfoot'];

/** The allow-list. Synonyms are kept under one name. */
const RULES: Partial<Record<KnownTag, ElementRule>> = {
  a: inline('a'),
  abbr: inline('abbr'),
  b: inline('strong'),
  blockquote: { role: ROLE.flow, name: 'blockquote' },
  br: { role: ROLE.lineBreak, name: 'br' },
  caption: { role: ROLE.textBlock, name: 'caption', parents: ['table'] },
  cite: inline('cite'),
  code: inline('code'),
  dd: { role: ROLE.item, name: 'dd', parents: ['dl'], keepsPlace: true },
  del: inline('del'),
  details: { role: ROLE.flow, name: 'details' },
  dfn: inline('dfn'),
  dl: { role: ROLE.group, name: 'dl' },
  dt: { role: ROLE.textBlock, name: 'dt', parents: ['dl'] },
  em: inline('em'),
  figcaption: { role: ROLE.item, name: 'figcaption', parents: ['figure'] },
  figure: { role: ROLE.flow, name: 'figure' },
  h1: { role: ROLE.textBlock, name: 'h1' },
  h2: { role: ROLE.textBlock, name: 'h2' },
  h3: { role: ROLE.textBlock, name: 'h3' },
  h4: { role: ROLE.textBlock, name: 'h4' },
  h5: { role: ROLE.textBlock, name: 'h5' },
  h6: { role: ROLE.textBlock, name: 'h6' },
  hr: { role: ROLE.rule, name: 'hr' },
  i: inline('em'),
  img: { role: ROLE.image, name: 'img' },
  input: { role: ROLE.input, name: 'input' },
  ins: inline('ins'),
  kbd: inline('kbd'),
  li: { role: ROLE.item, name: 'li', parents: LISTS },
  mark: inline('mark'),
  menu: { role: ROLE.group, name: 'ul' },
  ol: { role: ROLE.group, name: 'ol' },
  p: { role: ROLE.textBlock, name: 'p' },
  pre: { role: ROLE.preformatted, name: 'pre' },
  q: inline('q'),
  rp: inline('rp'),
  rt: { role: ROLE.reading, name: 'rt' },
  ruby: inline('ruby'),
  s: inline('del'),
  samp: inline('samp'),
  strike: inline('del'),
  strong: inline('strong'),
  sub: inline('sub'),
  summary: { role: ROLE.textBlock, name: 'summary', parents: ['details'] },
  sup: inline('sup'),
  table: { role: ROLE.group, name: 'table' },
  tbody: { role: ROLE.group, name: 'tbody', parents: ['table'] },
  td: { role: ROLE.item, name: 'td', parents: ['tr'], keepsPlace: true },
  tfoot: { role: ROLE.group, name: 'tfoot', parents: ['table'] },
  th: { role: ROLE.item, name: 'th', parents: ['tr'], keepsPlace: true },
  thead: { role: ROLE.group, name: 'thead', parents: ['table'] },
  textarea: { role: ROLE.preformatted, name: 'pre' },
  time: inline('time'),
  tr: { role: ROLE.group, name: 'tr', parents: ROW_GROUPS },
  tt: inline('code'),
  u: inline('u'),
  ul: { role: ROLE.group, name: 'ul' },
  var: inline('var'),
  wbr: { role: ROLE.wordBreak, name: 'wbr' },
};

/** Rule of an element whose parent does not allow it. */
export const EDGE_RULE: ElementRule = { role: ROLE.edge, name: '' };

const RULE_BY_TAG: readonly (ElementRule | undefined)[] = rulesByTag();

/** The rule of an element by tag code; undefined if it becomes text. */
export function getElementRule(tag: number): ElementRule | undefined {
  return RULE_BY_TAG[tag];
}

function inline(name: string): ElementRule {
  return { role: ROLE.inline, name };
}

function rulesByTag(): (ElementRule | undefined)[] {
  const rules = Array.from({ length: 256 }, (_, code): ElementRule | undefined =>
    TAG_FLAGS[code] & BLOCK ? EDGE_RULE : undefined,
  );
  for (const [name, code] of Object.entries(TAG)) {
    const rule = RULES[name as KnownTag];
    if (rule !== undefined) rules[code] = rule;
  }
  return rules;
}
