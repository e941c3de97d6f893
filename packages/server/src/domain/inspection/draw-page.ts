import type { StageBudget } from '../shared/ports.ts';
import { findMainContent } from './find-main-content.ts';
import { parsePage, renderSafePage } from './render-safe-page.ts';
import type { PageMarks } from './render-safe-page.ts';

/** A stored page to be looked at. */
export interface PageDrawing {
  readonly html: string;
  readonly marks: PageMarks;
  /** Extracted main text whose place on the page is outlined. */
  readonly mainText?: string;
}

/** Draws pages away from the event loop: parsing and searching a large one takes seconds. */
export interface PageDrawer {
  /** @throws {AppError} `payload_too_large` when the page is too large or too deep to be drawn */
  draw(drawing: PageDrawing, budget: StageBudget): Promise<string>;
}

/** @throws {AppError} `payload_too_large` when the page is too large or too deep to be drawn */
export function drawPage({ html, marks, mainText }: PageDrawing): string {
  const page = parsePage(html);
  const main = mainText === undefined ? [] : [['main', findMainContent(page, mainText)] as const];
  return renderSafePage(page, new Map([...marks, ...main]));
}
