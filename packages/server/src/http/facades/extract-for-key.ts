import { pageOptionsSchema } from '@winnow/contract';
import type { ContentFields, ErrorBody, Format, PageOptionName, PageOptionsBody } from '@winnow/contract';
import type { FastifyRequest } from 'fastify';
import { runAdmitted } from '../../domain/admission/current-tenant.ts';
import { extractPage, prepareExtract } from '../../domain/extraction/extract-page.ts';
import type { ExtractedPage, ExtractPageDeps, PreparedExtract } from '../../domain/extraction/extract-page.ts';
import type { Workflow } from '../../domain/shared/workflow.ts';
import type { AppError } from '../../domain/shared/errors.ts';
import { presentError } from '../answers/present.ts';
import { requireValid } from '../bodies/validate-body.ts';
import { readPageOptions } from '../../domain/request-options/page-options.ts';
import { requireKey, requireWorkflow, type RouteSettings } from '../requests/request-context.ts';

export interface FacadeDeps {
  readonly pages: ExtractPageDeps;
  readonly settings: RouteSettings;
}

export interface PageWish {
  readonly url: string;
  readonly formats: readonly Format[];
  readonly markdown?: ContentFields['markdown'];
  /** Capture options; `timeout_ms` limits the whole request. */
  readonly options?: PageOptionsBody | undefined;
  /** Maximum age of a reused snapshot, in milliseconds. */
  readonly maxAgeMs?: number | undefined;
  /** Receives the HTML of the snapshot. */
  readonly onSnapshot?: ((html: string) => void) | undefined;
}

/** Validates a request for {@link extractForKey} in stage `request`; throws AppError as `POST /v1/extract`. */
export async function preparePage(
  request: FastifyRequest,
  { pages, settings }: FacadeDeps,
  { url, formats, markdown, options, maxAgeMs, onSnapshot }: PageWish,
): Promise<PreparedExtract> {
  const { stageTimeoutMs, engineFamily } = settings;
  return prepareExtract(pages, {
    projectId: requireKey(request).projectId,
    url,
    domId: undefined,
    formats,
    markdown,
    page: readPageOptions(options, engineFamily),
    reuse: maxAgeMs === undefined ? undefined : { maxAgeMs, mayFetch: true },
    matchTimeoutMs: stageTimeoutMs,
    generateTimeoutMs: stageTimeoutMs,
    extractTimeoutMs: stageTimeoutMs,
    onSnapshot,
  });
}

/** Fetches and extracts a page as `POST /v1/extract` does, on behalf of the request's key. */
export async function extractForKey(
  request: FastifyRequest,
  { pages, settings: { admission, maxWaitMs } }: FacadeDeps,
  command: PreparedExtract,
  workflow: Workflow = requireWorkflow(request),
): Promise<ExtractedPage> {
  const budgetMs = Math.min(maxWaitMs, command.page?.timeout_ms ?? maxWaitMs);
  const tenant = { key: requireKey(request), budgetMs };
  return runAdmitted(admission, tenant, workflow, () => extractPage(pages, command, workflow));
}

/** What a client calls a field of ours. */
export type ClientNames = Readonly<Partial<Record<PageOptionName | 'url' | 'dom_id', string>>>;

/**
 * Returns the checked options that those of a client became. Messages have our names: see {@link presentForClient}.
 * @throws {AppError} `invalid_request`
 */
export function checkOptions(options: PageOptionsBody, settings: FacadeDeps['settings']): PageOptionsBody {
  return requireValid(pageOptionsSchema(settings, { description: '' }), options, 'options');
}

export function presentForClient(failure: AppError, names: ClientNames): ErrorBody {
  const error = presentError(failure);
  return { ...error, message: renameOptions(error.message, names) };
}

/** A path to an option; a name that is also a word counts only at the start of a fault. */
const OPTION_PATH = /(?:extract\.(?:options\.)?|options\.|(?<=^|; ))([a-z_]+)(?=[:.,[])|\b([a-z]+_[a-z]+)\b/g;

export function renameOptions(message: string, names: ClientNames): string {
  return message.replaceAll(OPTION_PATH, (path: string, name?: string, plain?: string) => {
    const known = (name ?? plain ?? '') as keyof ClientNames;
    return Object.hasOwn(names, known) ? (names[known] ?? path) : path;
  });
}
