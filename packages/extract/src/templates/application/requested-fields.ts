import { createUrlResolver } from '../../tree/url-resolver.ts';
import type { Tree } from '../../tree/tree.ts';
import { CUSTOM_TYPES, findTopLevelDomain, type ValueContext } from '../format/field-types.ts';
import { SelectorBudgetExceeded, SelectorFailed } from '../format/template.ts';
import { compileValue, type CompiledValue } from '../selectors/compile-template.ts';
import { createWantedNames, PageIndex, type WantedNames } from '../selectors/page-index.ts';
import { readSelector } from '../selectors/read-selector.ts';
import { readValues } from './read-value.ts';

const MAX_VALUES = 1_000;

export interface RequestedField {
  readonly name: string;
  /** CSS, XPath or a path in JSON-LD, see `readSelector`. */
  readonly selector: string;
  readonly attribute?: string | undefined;
  /** Default: `text`. */
  readonly type?: 'text' | 'number' | 'date' | 'url' | undefined;
  readonly all?: boolean | undefined;
}

export type RequestedValue = string | number | (string | number)[] | null;

export interface CompiledFields {
  readonly wanted: WantedNames;
  readonly fields: readonly { readonly field: RequestedField; readonly value: CompiledValue }[];
}

export interface ReadFields {
  readonly fields: Readonly<Record<string, RequestedValue>>;
  readonly failures: readonly { readonly name: string; readonly message: string }[];
}

/**
 * Compiles fields for any number of pages.
 * @throws {TemplateFault} with the path of the first field with an invalid selector: `[2].selector`
 */
export function compileFields(fields: readonly RequestedField[]): CompiledFields {
  const wanted = createWantedNames();
  return {
    wanted,
    fields: fields.map((field, index) => {
      const { attribute, all } = field;
      const selector = { ...readSelector(field.selector), attribute, all };
      return { field, value: compileValue(selector, `[${index}].selector`, wanted) };
    }),
  };
}

export interface FieldsPage {
  readonly url: string;
  /** Helps to read dates. */
  readonly language: string | null;
}

/** Reads fields from a parsed page; all fields share one selector budget. */
export function readFields(tree: Tree, { url, language }: FieldsPage, compiled: CompiledFields): ReadFields {
  const page = new PageIndex(tree, compiled.wanted);
  const urls = createUrlResolver(url, page.baseHref);
  const context: ValueContext = { urls, language, topLevelDomain: findTopLevelDomain(urls) };
  const fields: [string, RequestedValue][] = [];
  const failures: { name: string; message: string }[] = [];
  for (const { field, value } of compiled.fields) {
    try {
      fields.push([field.name, readField(page, field, value, context)]);
    } catch (error) {
      if (!(error instanceof SelectorBudgetExceeded || error instanceof SelectorFailed)) throw error;
      fields.push([field.name, field.all === true ? [] : null]);
      failures.push({ name: field.name, message: error.message });
    }
  }
  return { fields: Object.fromEntries(fields), failures };
}

function readField(
  page: PageIndex,
  { type = 'text', all }: RequestedField,
  value: CompiledValue,
  context: ValueContext,
): RequestedValue {
  const typed = readValues(page, value, MAX_VALUES)
    .map((text) => CUSTOM_TYPES[type]([text], context))
    .filter((one): one is string | number => typeof one === 'string' || typeof one === 'number');
  return all === true ? typed : (typed[0] ?? null);
}
