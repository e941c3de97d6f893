import type { EngineName } from '@winnow/contract';
import { AppError } from '../domain/shared/errors.ts';
import type { Capture, CaptureRequest, Engine } from '../domain/capture/capture-ports.ts';
import { BrokenOffPage } from './chromium/pages/navigation-error.ts';
import { UnreadableDocument } from './http/unreadable.ts';
import {
  findEmbeddedDocument,
  findEmptyFrame,
  findUnreadFrames,
  showsNothingElse,
} from '../domain/shells/find-embedded.ts';
import { isOfTarget } from '../domain/request-options/target-site.ts';
import { failedAttempt } from './shared/judge-response.ts';
import { writeSrcdoc } from './shared/write-srcdoc.ts';

/** Minimum time for a second engine, in milliseconds. */
const MIN_LEFT_MS = 50;

/**
 * Captures by plain HTTP what a browser engine cannot: browsers show PDFs in a viewer, download other files, and lose
 * parts of pages whose connection breaks off.
 */
export function withDocuments(name: EngineName, browser: Engine, http: Engine): Engine {
  return {
    async capture(request) {
      const start = performance.now();
      try {
        return await browser.capture(request);
      } catch (error) {
        const isPassedOn = error instanceof BrokenOffPage || (error as AppError).code === 'unsupported_content';
        if (!(error instanceof AppError) || !isPassedOn) throw error;
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

/** Captures in place of a page the PDF that is all the page shows, or the document to which it leads. */
export function withEmbeddedDocuments(engine: Engine, http: Engine): Engine {
  return {
    async capture(request) {
      const start = performance.now();
      const { file, ...page } = await engine.capture(request);
      const target = findDocument(page, file, request);
      const timeoutMs = Math.floor(request.timeoutMs - (performance.now() - start));
      if (target === undefined || timeoutMs < MIN_LEFT_MS) return page;
      try {
        const document = await http.capture({ ...target, timeoutMs });
        if (document.document === undefined) return page;
        return inPlaceOf(page, document);
      } catch (error) {
        if (request.signal.aborted) throw error;
        // The page itself is an answer.
        return page;
      }
    },
  };
}

/** The page counts as a redirect. */
function inPlaceOf(page: Capture, document: Capture): Capture {
  const step = { url: page.finalUrl, statusCode: page.statusCode };
  const redirects = [...page.redirects, step, ...document.redirects];
  return { ...document, redirects, attempts: [...page.attempts, ...document.attempts] };
}

function findDocument(page: Capture, file: Capture['file'], request: CaptureRequest): CaptureRequest | undefined {
  if (page.document !== undefined) return undefined;
  if (file === undefined || !showsNothingElse(page.html)) {
    // Plain HTTP reads frames anyway.
    const find = page.engine === 'http' ? findEmbeddedDocument : findAnyEmbedded;
    const url = find(page.html, page.finalUrl);
    return url && forTarget(request, url);
  }
  const target = forTarget(request, file.url);
  return { ...target, options: { ...target.options, cookies: file.cookies } };
}

function findAnyEmbedded(html: string, pageUrl: string): URL | undefined {
  return findEmbeddedDocument(html, pageUrl) ?? findEmptyFrame(html, pageUrl);
}

/** Frames that plain HTTP reads of one page, those in frames included. */
const MAX_FRAMES = 6;
const MAX_FRAME_DEPTH = 3;

/** Puts the documents of the frames that are all a page shows into their `srcdoc`, as captures of browsers have them. */
export function withFrames(http: Engine, maxCharacters: number): Engine {
  return {
    async capture(request) {
      const until = performance.now() + request.timeoutMs;
      const page = await http.capture(request);
      const frames = findFrames(page).slice(0, MAX_FRAMES);
      if (until - performance.now() < MIN_LEFT_MS) return page;
      return fillFrames(page, frames, { http, request, maxCharacters, until, left: MAX_FRAMES });
    },
  };
}

interface FrameReading {
  readonly http: Engine;
  readonly request: CaptureRequest;
  readonly maxCharacters: number;
  readonly until: number;
  /** Frames that may still be read. */
  left: number;
}

function findFrames(page: Capture): ReturnType<typeof findUnreadFrames> {
  return page.document === undefined ? findUnreadFrames(page.html, page.finalUrl) : [];
}

async function fillFrames(
  page: Capture,
  frames: ReturnType<typeof findUnreadFrames>,
  reading: FrameReading,
  depth = 1,
): Promise<Capture> {
  const { http, request, maxCharacters, until } = reading;
  reading.left -= frames.length;
  const documents = await Promise.all(
    frames.map(async ({ at, url }) => {
      const order = { ...forTarget(request, url), timeoutMs: Math.max(1, Math.floor(until - performance.now())) };
      // The page without a frame is still an answer.
      return { at, capture: await http.capture(order).catch(() => undefined) };
    }),
  );
  const [first] = documents;
  if (documents.length === 1 && first?.capture?.document !== undefined) return inPlaceOf(page, first.capture);
  let html = '';
  let kept = 0;
  for (const { at, capture } of documents) {
    if (capture === undefined || capture.document !== undefined) continue;
    const inside = depth < MAX_FRAME_DEPTH ? findFrames(capture).slice(0, reading.left) : [];
    const filled = inside.length === 0 ? capture : await fillFrames(capture, inside, reading, depth + 1);
    const inner = filled.document === undefined ? filled.html : '';
    if (inner === '') continue;
    const attribute = writeSrcdoc(inner, maxCharacters - html.length - page.html.length);
    if (attribute === undefined) continue;
    html += page.html.slice(kept, at) + attribute;
    kept = at;
  }
  return { ...page, html: html + page.html.slice(kept) };
}

/** Another site gets neither the headers nor the cookies of the request. */
function forTarget({ options, ...request }: CaptureRequest, url: URL): CaptureRequest {
  if (options === undefined || isOfTarget(request.url, url)) return { ...request, ...(options && { options }), url };
  const { headers: _headers, cookies: _cookies, ...rest } = options;
  return { ...request, options: rest, url };
}
