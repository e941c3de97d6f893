import {
  type CompiledTemplate,
  compileFields,
  compileTemplate,
  type FieldsPage,
  extractWithTemplate,
  learnTemplate,
  type LearnResult,
  readFields,
  type ReadFields,
  type RequestedField,
  type Template,
  tryTemplate,
} from '@winnow/extract/templates';
import { LRUCache } from 'lru-cache';
import { toExtractOptions } from '../domain/request-options/content-options.ts';
import { limitLists } from '../domain/extraction/limit-lists.ts';
import type { ExtractInput } from '../domain/extraction/extraction-ports.ts';
import type { AppliedPage, LearningPage, TemplateSource, TriedPage } from '../domain/templates/template-ports.ts';

export interface TemplateTask {
  readonly page: ExtractInput;
  readonly template: TemplateSource;
}

export function applySiteTemplate({ page, template }: TemplateTask): AppliedPage {
  const { extraction, fields, selectors, reasons, faults, gaps } = extractWithTemplate(
    page.html,
    compileOnce(template),
    toExtractOptions(page),
  );
  return { extraction: limitLists(extraction), fields, selectors, reasons, faults, gaps };
}

export function trySiteTemplate({ page, template }: TemplateTask): TriedPage {
  const { applied, generic, judgement } = tryTemplate(page.html, compileOnce(template), toExtractOptions(page));
  const { extraction, fields, selectors, reasons, faults, gaps } = applied;
  return { extraction: limitLists(extraction), fields, selectors, reasons, faults, gaps, generic, judgement };
}

export interface FieldsTask {
  readonly page: FieldsPage;
  readonly fields: readonly RequestedField[];
}

export function readRequestedFields({ page, fields }: FieldsTask): ReadFields {
  return readFields(page, compileFields(fields));
}

export function learnSiteTemplate(pages: readonly LearningPage[]): LearnResult {
  return learnTemplate(pages);
}

const compiled = new LRUCache<string, { json: string; template: CompiledTemplate }>({ max: 200 });

function compileOnce({ name, json }: TemplateSource): CompiledTemplate {
  const known = compiled.get(name);
  if (known?.json === json) return known.template;
  const template = compileTemplate(JSON.parse(json) as Template);
  compiled.set(name, { json, template });
  return template;
}
