import type { StageBudget } from '../shared/ports.ts';
import { findMainContent } from './find-main-content.ts';
import { parsePage, renderSafePage } from './render-safe-page.ts';
import type { PageMarks } from './render-safe-page.ts';

export interface PagePreview {
  readonly html: string;
  readonly marks: PageMarks;
  /** Its elements are outlined. */
  readonly mainText?: string;
}

/** Renders in threads: large pages take seconds. */
export interface PreviewRenderer {
  /** @throws {AppError} `payload_too_large` */
  renderPreview(preview: PagePreview, budget: StageBudget): Promise<string>;
}

export function renderPreview({ html, marks, mainText }: PagePreview): string {
  const page = parsePage(html);
  const main = mainText === undefined ? [] : [['main', findMainContent(page, mainText)] as const];
  return renderSafePage(page, new Map([...marks, ...main]));
}
