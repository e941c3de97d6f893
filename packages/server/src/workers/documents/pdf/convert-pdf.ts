import { getDocument } from 'unpdf/pdfjs';
import type { ConvertedDocument } from '../../../domain/capture/capture-ports.ts';
import { AppError } from '../../../domain/shared/errors.ts';
import { writeDocument } from '../page/write-document.ts';
import { buildBlocks, joinContinued, collectWords, type Block, type TextFacts } from './build-blocks.ts';
import { findTables } from './find-tables.ts';
import { dropRunningHeads } from './find-running-heads.ts';
import { addBullets, joinPieces, usualSize } from './lines.ts';
import { orderColumns, type Flow } from './order-columns.ts';
import type { PdfPageContent, TextRun } from './page-content.ts';
import { readMetadata, type PdfJsMetadata } from './read-metadata.ts';
import { readPdfPage, type PdfJsPage } from './read-pdf-page.ts';
import { firstHeading, writeBlocks } from './write-blocks.ts';

export interface PdfLimits {
  readonly maxPages: number;
  readonly maxCharacters: number;
}

interface PdfJsDocument {
  readonly numPages: number;
  getPage(number: number): Promise<PdfJsPage>;
  getMetadata(): Promise<PdfJsMetadata>;
  getOptionalContentConfig(): Promise<{ isVisible(layer: unknown): boolean }>;
}

/** Records which character maps a PDF uses without containing them. Neither these nor fonts are shipped: they are large. */
function refuseData(missingMaps: Set<string>) {
  return class {
    fetch({ kind, filename }: { readonly kind: string; readonly filename: string }): Promise<never> {
      if (kind === 'cMapUrl' && missingMaps.size < MAX_NAMED_MAPS)
        missingMaps.add(filename.replace('.bcmap', '').slice(0, MAX_MAP_NAME));
      return Promise.reject(new Error(`${kind} is not available`));
    }
  };
}

const MAX_NAMED_MAPS = 5;
const MAX_MAP_NAME = 50;

/** A PDF with fewer letters and digits per page counts as scanned. */
const MIN_TEXT = 4;

/**
 * Converts a PDF's text to HTML, without running scripts or fetching references.
 * @throws {AppError} `unsupported_content` or `response_too_large`
 */
export async function convertPdf(bytes: Uint8Array, fileName: string, limits: PdfLimits): Promise<ConvertedDocument> {
  const missingMaps = new Set<string>();
  const task = getDocument({
    data: bytes,
    enableXfa: false,
    useSystemFonts: false,
    disableFontFace: false,
    useWorkerFetch: false,
    BinaryDataFactory: refuseData(missingMaps),
    // Images are not decoded: they can expand to any size.
    maxImageSize: 0,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    verbosity: 0,
  });
  try {
    const pdf = (await task.promise.catch(refuseBroken)) as unknown as PdfJsDocument;
    if (pdf.numPages > limits.maxPages)
      throw new AppError(
        'response_too_large',
        `the PDF has ${pdf.numPages} pages; at most ${limits.maxPages} are read (WINNOW_MAX_PDF_PAGES)`,
      );
    const pages = await readPages(pdf, limits).catch(refuseBroken);
    requireText(pages, missingMaps);
    const metadata = readMetadata(await pdf.getMetadata().catch(() => ({ info: {}, metadata: null })));
    const blocks = layOutPages(pages);
    const title = metadata.title ?? firstHeading(blocks) ?? fileName;
    const html = writeDocument('pdf', { ...metadata, title, body: `<article>\n${writeBlocks(blocks)}</article>` });
    return missingMaps.size === 0 ? { html } : { html, partial: true };
  } finally {
    await task.destroy();
  }
}

function refuseBroken(error: unknown): never {
  if (error instanceof AppError) throw error;
  const { name } = error as Error;
  if (name === 'PasswordException')
    throw new AppError('unsupported_content', 'the PDF is encrypted and needs a password');
  throw new AppError('unsupported_content', 'the PDF is damaged and cannot be read');
}

async function readPages(pdf: PdfJsDocument, { maxCharacters }: PdfLimits): Promise<PdfPageContent[]> {
  const pages: PdfPageContent[] = [];
  let characters = 0;
  const layers = await pdf.getOptionalContentConfig();
  const isLayerShown = (layer: unknown): boolean => layers.isVisible(layer);
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    const content = await readPdfPage(page, isLayerShown);
    for (const { text } of content.runs) characters += text.length;
    if (characters > maxCharacters)
      throw new AppError(
        'response_too_large',
        `the text of the PDF is longer than ${maxCharacters} characters (WINNOW_MAX_PAGE_BYTES)`,
      );
    pages.push(content);
    page.cleanup();
  }
  return pages;
}

function requireText(pages: readonly PdfPageContent[], missingMaps: ReadonlySet<string>): void {
  let letters = 0;
  for (const { runs } of pages) {
    for (const { text } of runs) letters += text.replaceAll(/[^\p{L}\p{N}]/gu, '').length;
  }
  if (letters >= MIN_TEXT * pages.length) return;
  if (missingMaps.size > 0)
    throw new AppError(
      'unsupported_content',
      `the text of the PDF cannot be read: it uses character maps that it does not contain (${[...missingMaps].join(', ')})`,
    );
  throw new AppError(
    'unsupported_content',
    letters === 0
      ? 'the PDF has no text: its pages are scanned pictures and need text recognition (OCR) first'
      : 'the PDF has almost no text: its pages are scanned pictures and need text recognition (OCR) first',
  );
}

function layOutPages(pages: readonly PdfPageContent[]): Block[] {
  const runs = dropRunningHeads(pages);
  const flows = pages.flatMap(({ rules, dots }, index) => orderPage(runs[index] ?? [], { rules, dots }));
  const facts = collectFacts(runs, flows);
  return joinContinued(
    flows.map((flow) => buildBlocks(flow, facts)),
    facts.words,
  );
}

function orderPage(runs: readonly TextRun[], { rules, dots }: Pick<PdfPageContent, 'rules' | 'dots'>): Flow[] {
  const { tables, rest } = findTables(runs, rules);
  return orderColumns([...addBullets(joinPieces(rest), dots), ...tables]);
}

function collectFacts(runs: readonly (readonly TextRun[])[], flows: readonly Flow[]): TextFacts {
  const lines = flows.flatMap((flow) => flow.flatMap((part) => ('rows' in part ? [] : [part.text])));
  return { bodySize: usualSize(runs.flat()), words: collectWords(lines) };
}
