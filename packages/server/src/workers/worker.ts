/** What runs in the threads of {@link WorkerPool}: each export is a task. */
import { setPriority } from 'node:os';
import { extract } from '@winnow/extract';
import type { Extraction } from '@winnow/extract';
import type { ExtractInput } from '../domain/ports.ts';
import { filterScriptsStyles } from './filter-scripts-styles.ts';

/**
 * On Linux a priority is a thread's own. Those that extract give way to the one that answers: work reaches them, and
 * replies leave, without waiting for a long page to be done.
 */
const NICENESS = 10;
if (process.platform === 'linux') setPriority(0, NICENESS);

export function extractPage({ html, url, contentLanguage, formats }: ExtractInput): Extraction {
  return extract(html, { url, formats, ...(contentLanguage === null ? {} : { contentLanguage }) });
}

export function filterHtml(html: string): string {
  return filterScriptsStyles(html);
}

/** The round trip of the readiness check: a whole extraction of a page that is always the same. */
export function checkSelf(): string {
  const html = '<!doctype html><title>Ready</title><main><p>The extractor answers.</p></main>';
  const { title } = extract(html, { url: 'https://example.com/' });
  if (title !== 'Ready') throw new Error(`the extractor answered with the title ${title}`);
  return 'extracted a page';
}

export { applySiteTemplate, learnSiteTemplate, trySiteTemplate } from './template-tasks.ts';
