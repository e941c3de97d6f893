import { TAG, type KnownTag } from '../../tree/tags.ts';

const FAMILIES: Readonly<Record<string, { tags: readonly KnownTag[]; roles: readonly string[] }>> = {
  nav: { tags: ['nav', 'menu'], roles: ['navigation', 'menu', 'menubar'] },
  header: { tags: ['header', 'hgroup'], roles: ['banner'] },
  footer: { tags: ['footer'], roles: ['contentinfo'] },
  aside: { tags: ['aside'], roles: ['complementary'] },
  main: { tags: ['main'], roles: ['main'] },
  article: { tags: ['article'], roles: ['article', 'feed'] },
  section: { tags: ['section'], roles: ['region'] },
  form: { tags: ['form', 'fieldset', 'search'], roles: ['form', 'search'] },
  figure: { tags: ['figure', 'figcaption', 'picture'], roles: ['figure'] },
  dialog: { tags: ['dialog'], roles: ['dialog', 'alertdialog'] },
  list: { tags: ['ul', 'ol'], roles: ['list', 'listbox'] },
  item: { tags: ['li'], roles: ['listitem', 'option'] },
  table: { tags: ['table'], roles: ['table', 'grid'] },
  terms: { tags: ['dl'], roles: [] },
  details: { tags: ['details'], roles: ['tabpanel', 'tablist'] },
  quote: { tags: ['blockquote'], roles: [] },
  code: { tags: ['pre', 'code'], roles: [] },
  button: { tags: ['button', 'select', 'label'], roles: ['button', 'tab', 'combobox'] },
  link: { tags: ['a'], roles: ['link'] },
  noscript: { tags: ['noscript'], roles: [] },
  paragraph: { tags: ['p'], roles: [] },
  heading: { tags: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'], roles: ['heading'] },
};

export const TAG_FAMILIES: readonly string[] = Object.keys(FAMILIES);

export const TAG_BITS: Int32Array = new Int32Array(256);
const ROLE_BITS = new Map<string, number>();
TAG_FAMILIES.forEach((family, bit) => {
  const { tags, roles } = FAMILIES[family];
  for (const tag of tags) TAG_BITS[TAG[tag]] |= 1 << bit;
  for (const role of roles) ROLE_BITS.set(role, (ROLE_BITS.get(role) ?? 0) | (1 << bit));
});

export function getRoleBits(role: string): number {
  return ROLE_BITS.get(role) ?? 0;
}
