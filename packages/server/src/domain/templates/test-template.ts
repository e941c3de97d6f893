import type { Extraction } from '@winnow/extract';
import { computeSignature, scoreTemplate } from '@winnow/extract/matching';
import type { SnapshotContent, SnapshotRepository } from '../storage/snapshot-ports.ts';
import type { StageBudget } from '../shared/ports.ts';
import { locateSite } from './site-address.ts';
import { toSource } from './template-cache.ts';
import type { StoredPage, StoredTemplate, TemplateWorker } from './template-ports.ts';

export interface PageTest {
  readonly page: string;
  /** Whether the template would answer the page: host, address and structure fit. */
  readonly matches: boolean;
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

/** The fields of an answer that a template may have rules for. */
export const EXTRACTED_FIELDS = {
  title: 'title',
  description: 'description',
  author: 'author',
  publish_time: 'publishTime',
  language: 'language',
} as const satisfies Readonly<Record<string, keyof Extraction>>;

/** Compares a template with the generic extractor by field. */
export async function testTemplate(
  worker: TemplateWorker,
  template: Pick<StoredTemplate, 'id' | 'version' | 'document'>,
  pages: readonly (StoredPage & { readonly name: string })[],
  budget: StageBudget,
): Promise<PageTest[]> {
  const source = toSource(template);
  const results: PageTest[] = [];
  for (const page of pages) {
    const { html, url, contentLanguage = null } = page;
    const tried = await worker.try({ html, url, contentLanguage, formats: [] }, source, budget);
    const { extraction, generic, selectors, faults, agreement } = tried;
    const fields: FieldDifference[] = Object.entries({ ...EXTRACTED_FIELDS, main_text: 'mainText' as const }).map(
      ([field, name]) => ({
        field,
        template: extraction[name],
        generic: generic[name],
        same: extraction[name] === generic[name],
        selector: selectors[field] ?? null,
      }),
    );
    for (const [name, value] of Object.entries(tried.fields ?? {})) {
      const selector = selectors[`fields.${name}`] ?? null;
      fields.push({ field: `fields.${name}`, template: value, generic: null, same: false, selector });
    }
    const checks = (template.document.checks ?? []).filter((check) => check.url === page.url);
    const missing = checks
      .flatMap((check) => check.contains)
      .filter((text) => !fold(extraction.mainText).includes(fold(text)));
    const { matches, why } = matchPage(template, page);
    const reason = [...(matches ? [] : [`it does not match the page: ${why}`]), ...faults].join('; ');
    const ok = faults.length === 0 && missing.length === 0;
    results.push({
      page: page.name,
      matches,
      ok,
      reason: reason === '' ? 'every rule that the page must have holds' : reason,
      agreement,
      fields,
      missing,
    });
  }
  return results;
}

function matchPage(
  { document }: Pick<StoredTemplate, 'document'>,
  { html, url }: StoredPage,
): { readonly matches: boolean; readonly why: string } {
  const site = locateSite(url);
  if (site === undefined) return { matches: false, why: 'it has no address' };
  const { score, reason } = scoreTemplate(document, site, () => computeSignature(html));
  return { matches: score > 0, why: reason };
}

/** Reads a snapshot of a project; undefined if it is gone. */
export async function readStoredPage(
  snapshots: SnapshotRepository,
  content: SnapshotContent,
  projectId: string,
  domId: string,
): Promise<(StoredPage & { readonly name: string }) | undefined> {
  const row = await snapshots.find(projectId, domId);
  const html = row && (await content.get(row.hash));
  if (row === undefined || html === undefined) return undefined;
  return { name: domId, html, url: row.finalUrl, contentLanguage: row.contentLanguage };
}

function fold(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase();
}
