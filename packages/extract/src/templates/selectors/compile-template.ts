import { compileCss } from './css-selector.ts';
import type { CompiledSelector } from './compiled-selector.ts';
import { compileJsonLd } from './json-ld-selector.ts';
import { createWantedNames, type PageIndex, type WantedNames } from './page-index.ts';
import { compileStep, type ValueStep } from '../format/post-process.ts';
import {
  type CustomField,
  type Selector,
  type Template,
  TEMPLATE_FIELDS,
  type TemplateField,
  TemplateFault,
} from '../format/template.ts';
import { compileXPath } from './xpath-selector.ts';

export interface CompiledTemplate {
  readonly template: Template;
  readonly wanted: WantedNames;
  readonly fields: ReadonlyMap<TemplateField, CompiledRule>;
  /** Null: the generic extractor's main text. */
  readonly content: CompiledContent | null;
  readonly custom: readonly CompiledCustomField[];
}

export interface CompiledRule {
  readonly values: readonly CompiledValue[];
  readonly otherwise: string | null;
  readonly agrees: boolean;
}

interface CompiledContent {
  readonly include: readonly CompiledValue[];
  readonly exclude: readonly CompiledValue[];
  /** Names that `exclude` uses; indexed only inside the main content. */
  readonly wanted: WantedNames;
  readonly excludeText: ReadonlySet<number>;
}

export interface CompiledCustomField {
  readonly name: string;
  readonly type: CustomField['type'];
  readonly values: readonly CompiledValue[];
}

export interface CompiledValue {
  readonly source: string;
  readonly find: (page: PageIndex) => ReturnType<CompiledSelector['select']>;
  readonly attribute: string | undefined;
  readonly all: boolean;
  readonly steps: readonly ValueStep[];
}

/**
 * Checks selectors, expressions and patterns beyond the schema and compiles the template.
 *
 * @throws {TemplateFault} with the JSON path of the first fault
 */
export function compileTemplate(template: Template): CompiledTemplate {
  const wanted = createWantedNames();
  const fields = new Map<TemplateField, CompiledRule>();
  for (const name of TEMPLATE_FIELDS) {
    const rule = template.fields[name];
    if (rule === undefined) continue;
    const values = compileAll(rule.selectors, `fields.${name}.selectors`, wanted);
    fields.set(name, { values, otherwise: rule.otherwise ?? null, agrees: rule.agrees ?? false });
  }
  const { content } = template;
  const inside = createWantedNames();
  return {
    template,
    wanted,
    fields,
    content: content && {
      include: compileAll(content.include, 'content.include', wanted),
      exclude: compileAll(content.exclude, 'content.exclude', inside),
      wanted: inside,
      excludeText: new Set(content.exclude_text),
    },
    custom: template.custom.map(({ name, type, selectors }, index) => ({
      name,
      type,
      values: compileAll(selectors, `custom[${index}].selectors`, wanted),
    })),
  };
}

function compileAll(selectors: readonly Selector[], path: string, wanted: WantedNames): CompiledValue[] {
  return selectors.map((selector, index) => compileValue(selector, `${path}[${index}]`, wanted));
}

/** @throws {TemplateFault} with the path */
export function compileValue(selector: Selector, path: string, wanted: WantedNames): CompiledValue {
  const compiled = compileSource(selector, path, wanted);
  const steps = (selector.post ?? []).map((step, index) =>
    naming(`${path}.post[${index}].${step.op === 'match' ? 'pattern' : 'text'}`, () => compileStep(step)),
  );
  return {
    source: `${selector.css ?? selector.xpath ?? `json-ld ${selector.json_ld ?? ''}`}${selector.attribute === undefined ? '' : ` @${selector.attribute}`}`,
    find: (page) => compiled.select(page),
    attribute: selector.attribute?.toLowerCase(),
    all: selector.all ?? false,
    steps,
  };
}

function compileSource(selector: Selector, path: string, wanted: WantedNames): CompiledSelector {
  const { css, xpath, json_ld: linked } = selector;
  if ([css, xpath, linked].filter((one) => one !== undefined).length !== 1) {
    throw new TemplateFault(path, 'needs exactly one of css, xpath and json_ld');
  }
  if (css !== undefined) return naming(`${path}.css`, () => compileCss(css, wanted));
  if (xpath !== undefined) return naming(`${path}.xpath`, () => compileXPath(xpath, wanted));
  return compileJsonLd(linked ?? '', wanted);
}

function naming<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new TemplateFault(path, error instanceof Error ? error.message : String(error));
  }
}
