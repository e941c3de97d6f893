import type { StageBudget } from '../shared/ports.ts';
import { toInput } from './learn-site.ts';
import { toSource } from './template-cache.ts';
import type { LearningPage, StoredTemplate, TemplateWorker } from './template-ports.ts';

export interface PageTest {
  readonly page: string;
  readonly ok: boolean;
  readonly reason: string;
  /** Word F1. */
  readonly agreement: number;
  readonly fields: readonly FieldDifference[];
  /** Expected texts. */
  readonly missing: readonly string[];
}

export interface FieldDifference {
  readonly field: string;
  readonly template: string | number | readonly string[] | null;
  readonly generic: string | null;
  readonly same: boolean;
  readonly selector: string | null;
}

const TESTED_FIELDS = [
  ['title', 'title'],
  ['description', 'description'],
  ['author', 'author'],
  ['publish_time', 'publishTime'],
  ['language', 'language'],
  ['main_text', 'mainText'],
] as const;

/** Compares a template with the generic extractor by field. */
export async function testTemplate(
  worker: TemplateWorker,
  template: Pick<StoredTemplate, 'id' | 'version' | 'document'>,
  pages: readonly (LearningPage & { readonly name: string })[],
  budget: StageBudget,
): Promise<PageTest[]> {
  const source = toSource(template);
  const results: PageTest[] = [];
  for (const page of pages) {
    const tried = await worker.try(toInput(page), source, budget);
    const { extraction, generic, selectors, judgement } = tried;
    const fields: FieldDifference[] = TESTED_FIELDS.map(([field, name]) => ({
      field,
      template: extraction[name],
      generic: generic[name],
      same: extraction[name] === generic[name],
      selector: selectors[field] ?? null,
    }));
    for (const [name, value] of Object.entries(tried.fields ?? {})) {
      fields.push({
        field: `fields.${name}`,
        template: value,
        generic: null,
        same: false,
        selector: selectors[`fields.${name}`] ?? null,
      });
    }
    const checks = (template.document.checks ?? []).filter((check) => check.url === page.url);
    const missing = checks
      .flatMap((check) => check.contains)
      .filter((text) => !fold(extraction.mainText).includes(fold(text)));
    const { agreement, reason } = judgement;
    results.push({ page: page.name, ok: judgement.ok && missing.length === 0, reason, agreement, fields, missing });
  }
  return results;
}

function fold(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase();
}
