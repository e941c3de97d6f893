/** Tasks of {@link WorkerPool}. */
import { extract } from '@winnow/extract';
import { AppError } from '../domain/shared/errors.ts';
import { renderPreview } from '../domain/inspection/find-main-content.ts';
import type { PagePreview } from '../domain/inspection/find-main-content.ts';
import type { CaptureVerdict } from '../domain/capture/capture-ports.ts';
import { judgeShell } from '../domain/shells/judge-shell.ts';
import type { ShellPage } from '../domain/shells/judge-shell.ts';
import { filterScriptsStyles } from './filter-scripts-styles.ts';

export function filterHtml(html: string): string {
  return filterScriptsStyles(html);
}

export function judgeShellTask(page: ShellPage): CaptureVerdict {
  return judgeShell(page);
}

/** A result or refusal as data: errors lose their code between processes. */
export type Drawn = { readonly page: string } | { readonly page?: undefined; readonly refusal: string };

export function renderStoredPage(preview: PagePreview): Drawn {
  try {
    return { page: renderPreview(preview) };
  } catch (error) {
    if (error instanceof AppError && error.code === 'payload_too_large') return { refusal: error.message };
    throw error;
  }
}

/** Extracts a constant page for the readiness check. */
export function checkSelf(): string {
  const html = '<!doctype html><title>Ready</title><main><p>The extractor answers.</p></main>';
  const { title } = extract(html, { url: 'https://example.com/' });
  if (title !== 'Ready') throw new Error(`the extractor answered with the title ${title}`);
  return 'extracted a page';
}

export {
  applySiteTemplate,
  extractPageTask,
  gatherSiteEvidence,
  markSitePage,
  outlineSitePage,
  readPageLinks,
  trySiteTemplate,
} from './template-tasks.ts';
export { diffTexts } from './diff-texts.ts';
export { extractPickedPage, pickPage } from './pick-tasks.ts';
