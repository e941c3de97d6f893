/** Task of {@link DocumentThreads}. */
import { toCell } from '../../domain/shared/transfer-cell.ts';
import type { TransferCell } from '../../domain/shared/transfer-cell.ts';
import type { DocumentSource } from '../../domain/capture/documents.ts';
import { AllocationGuard } from './allocation-guard.ts';
import { convertText } from './convert-text.ts';
import { DocumentRefusal } from './page/document-refusal.ts';
import type { PdfLimits } from './pdf/convert-pdf.ts';

export interface ConversionTask extends PdfLimits {
  readonly source: DocumentSource;
  /** Of all buffers of the thread. */
  readonly maxBufferBytes: number;
}

/** A result or refusal as data: errors lose their code between threads. */
export type Converted =
  | { readonly html: string; readonly refusal?: undefined }
  | {
      readonly html?: undefined;
      readonly refusal: { readonly code: DocumentRefusal['code']; readonly message: string };
    };

const guard = new AllocationGuard();
let isGuarded = false;

export async function convertDocument(task: ConversionTask): Promise<TransferCell<Converted>> {
  if (!isGuarded) guard.install(task.maxBufferBytes);
  isGuarded = true;
  guard.reset();
  try {
    const html = await convert(task);
    return toCell(guard.isExceeded ? TOO_LARGE : { html });
  } catch (error) {
    if (guard.isExceeded) return toCell(TOO_LARGE);
    if (!(error instanceof DocumentRefusal)) throw error;
    return toCell({ refusal: { code: error.code, message: error.message } });
  }
}

const TOO_LARGE: Converted = {
  refusal: {
    code: 'response_too_large',
    message: 'the decompressed document needs more than the memory of a worker thread (WINNOW_WORKER_MEMORY)',
  },
};

async function convert({ source, ...limits }: ConversionTask): Promise<string> {
  const { format, content, fileName } = source;
  if (typeof content === 'string') {
    if (format === 'pdf') throw new TypeError('a PDF is read from bytes');
    return convertText(format, content, fileName, limits.maxCharacters);
  }
  // Loaded on demand: the library is large.
  const { convertPdf } = await import('./pdf/convert-pdf.ts');
  const html = await convertPdf(content, fileName, limits);
  if (html.length > limits.maxCharacters)
    throw new DocumentRefusal(
      'response_too_large',
      `the page made of the PDF is longer than ${limits.maxCharacters} characters (WINNOW_MAX_PAGE_BYTES)`,
    );
  return html;
}
