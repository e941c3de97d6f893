import type { EngineName } from '@winnow/contract';
import { AppError } from '../domain/shared/errors.ts';
import type { Capture, CaptureRequest, Engine } from '../domain/capture/capture-ports.ts';
import { UnreadableDocument } from './http/unreadable-document.ts';
import { failedAttempt } from './shared/judge-response.ts';

/** Minimum time for a second engine, in milliseconds. */
const MIN_LEFT_MS = 50;

/**
 * Captures by plain HTTP what a browser engine cannot: browsers show PDFs in a viewer and download other files.
 */
export function withDocuments(name: EngineName, browser: Engine, http: Engine): Engine {
  return {
    async capture(request) {
      const start = performance.now();
      try {
        return await browser.capture(request);
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'unsupported_content') throw error;
        const elapsedMs = Math.round(performance.now() - start);
        const document = await captureDocument(http, request, elapsedMs, error);
        return { ...document, attempts: [failedAttempt(name, error, elapsedMs), ...document.attempts] };
      }
    },
  };
}

/** @param refusal thrown if plain HTTP gets nothing either */
async function captureDocument(
  http: Engine,
  request: CaptureRequest,
  elapsedMs: number,
  refusal: AppError,
): Promise<Capture> {
  const timeoutMs = Math.floor(request.timeoutMs - elapsedMs);
  if (timeoutMs < MIN_LEFT_MS) throw refusal;
  try {
    // A page counts too: browsers download pages that are declared as files or attachments.
    return await http.capture({ ...request, timeoutMs });
  } catch (error) {
    if (error instanceof UnreadableDocument || request.signal.aborted) throw error;
  }
  throw refusal;
}
