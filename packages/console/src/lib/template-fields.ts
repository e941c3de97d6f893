import type { TemplateDocument, TemplateSelectorDocument } from '@winnow/client';

export interface TemplatePlace {
  readonly name: string;
  readonly selectors: readonly TemplateSelectorDocument[];
  /** Value without a match, in words; undefined if not worth showing. */
  readonly fallback: string | undefined;
}

const FIELD_NAMES = ['title', 'description', 'author', 'publish_time', 'language'] as const;

/** All selectors of a template, in the usual order. */
export function listFields(template: TemplateDocument): TemplatePlace[] {
  return [
    ...FIELD_NAMES.map((name) => ({
      name,
      selectors: template.fields[name]?.selectors ?? [],
      fallback: describeFallback(template.fields[name]),
    })),
    {
      name: 'main_text',
      selectors: template.content?.include ?? [],
      fallback: template.content === null ? describeMain(template) : undefined,
    },
    {
      name: 'left out',
      selectors: template.content?.exclude ?? [],
      fallback: template.content === null || template.content.exclude.length === 0 ? 'nothing' : undefined,
    },
    ...template.custom.map(({ name, selectors }) => ({ name: `fields.${name}`, selectors, fallback: undefined })),
  ];
}

const WITHOUT_TEMPLATE = 'found without the template';

function describeMain({ taught }: TemplateDocument): string {
  return taught === undefined ? WITHOUT_TEMPLATE : 'found with the marks of the site';
}

/** A field without a rule comes from the generic extractor; a rule without selectors has a constant value. */
function describeFallback(rule: TemplateDocument['fields'][(typeof FIELD_NAMES)[number]]): string | undefined {
  if (rule === undefined) return WITHOUT_TEMPLATE;
  if (rule.otherwise !== undefined) return `${rule.selectors.length === 0 ? 'always' : 'else'} “${rule.otherwise}”`;
  if (rule.selectors.length > 0) return undefined;
  return rule.agrees === true ? 'Not on the page; taken from structured data if present' : 'none';
}

/** Puts a selector first for a field. */
export function correctField(
  template: TemplateDocument,
  name: string,
  selector: TemplateSelectorDocument,
): TemplateDocument {
  const first = (selectors: readonly TemplateSelectorDocument[] = []): TemplateSelectorDocument[] => [
    selector,
    ...selectors.filter((one) => one.css !== selector.css || one.attribute !== selector.attribute),
  ];
  const known = FIELD_NAMES.find((one) => one === name);
  if (known !== undefined) {
    const field = { ...template.fields[known], selectors: first(template.fields[known]?.selectors) };
    return { ...template, fields: { ...template.fields, [known]: field } };
  }
  const content = template.content ?? { include: [], exclude: [], exclude_text: [] };
  // For the main text the new selector replaces the others, which would add to it.
  if (name === 'main_text') return { ...template, content: { ...content, include: [selector] } };
  if (name === 'left out') return { ...template, content: { ...content, exclude: first(content.exclude) } };
  const custom = template.custom.map((field) =>
    `fields.${field.name}` === name ? { ...field, selectors: first(field.selectors) } : field,
  );
  return { ...template, custom };
}

export function writeSelector(selector: TemplateSelectorDocument): string {
  const where = selector.css ?? selector.xpath ?? selector.json_ld ?? '';
  return selector.attribute === undefined ? where : `${where} @${selector.attribute}`;
}
