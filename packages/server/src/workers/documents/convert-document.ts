import type { DocumentSource } from '../../domain/capture/capture-ports.ts';
import { convertText } from './convert-text.ts';
import { DocumentRefusal } from './page/document-refusal.ts';
import type { PdfLimits } from './pdf/convert-pdf.ts';

export interface ConversionTask extends PdfLimits {
  readonly source: DocumentSource;
}

/** A result or refusal as data: errors lose their code between processes. */
export type Converted =
  | { readonly html: string; readonly refusal?: undefined }
  | {
      readonly html?: undefined;
      readonly refusal: { readonly code: DocumentRefusal['code']; readonly message: string };
    };

export async function convertDocument(task: ConversionTask): Promise<Converted> {
  try {
    return { html: await convert(task) };
  } catch (error) {
    if (!(error instanceof DocumentRefusal)) throw error;
    return { refusal: { code: error.code, message: error.message } };
  }
}

async function convert({ source, ...limits }: ConversionTask): Promise<string> {
  const { format, content, fileName } = source;
  if (typeof content === 'string') {
    if (format === 'pdf') throw new TypeError('a PDF is read from bytes');
    return convertText(format, content, fileName, limits.maxCharacters);
  }
  // Loaded on demand: the library is large.
  const { convertPdf } = await import('./pdf/convert-pdf.ts');
  // A copy, because the library refuses buffers of Node, as which bytes arrive from another process.
  const html = await convertPdf(new Uint8Array(content), fileName, limits);
  if (html.length > limits.maxCharacters)
    throw new DocumentRefusal(
      'response_too_large',
      `the page made of the PDF is longer than ${limits.maxCharacters} characters (WINNOW_MAX_PAGE_BYTES)`,
    );
  return html;
}
