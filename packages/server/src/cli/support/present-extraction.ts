import { GENERIC_TEMPLATE_ID, publicEngineName } from '@winnow/contract';
import type { EngineName, ExtractMetadata, ExtractResult, ErrorBody, Stage } from '@winnow/contract';
import type { Extraction } from '@winnow/extract';
import type { ReadFields } from '@winnow/extract/templates';
import { presentContent, presentFieldFailures, presentFormats, presentError } from '../../http/answers/present.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { CommandError, writeJson, type CliIo } from './cli-io.ts';

/** Origin of a local page; null if it was not fetched. */
export interface PageOrigin {
  readonly url: string | null;
  readonly finalUrl: string | null;
  readonly statusCode: number | null;
  readonly engine: EngineName | null;
  readonly fetchedAt: string | null;
  /** True if it broke off, or was captured at its deadline. */
  readonly partial?: boolean;
}

type Nullable<T, Names extends keyof T> = Omit<T, Names> & { [Name in Names]: T[Name] | null };

/** The API's `result` and `metadata`, with null for unknown facts. */
export interface LocalExtraction {
  readonly result: Nullable<ExtractResult, 'final_url' | 'status_code' | 'engine' | 'dom_id'>;
  readonly metadata: Omit<Nullable<ExtractMetadata, 'dom_id' | 'engine' | 'fetched_at'>, 'server_elapsed_ms'>;
}

export function presentExtraction(
  extraction: Extraction,
  origin: PageOrigin,
  engineFamily: string,
  read?: ReadFields,
): LocalExtraction {
  const engine = origin.engine === null ? null : publicEngineName(origin.engine, engineFamily);
  return {
    result: {
      url: origin.url,
      final_url: origin.finalUrl,
      status_code: origin.statusCode,
      ...presentContent(extraction),
      engine,
      dom_id: null,
      template_id: GENERIC_TEMPLATE_ID,
      ...presentFormats(extraction),
      ...(read === undefined ? {} : { fields: read.fields }),
    },
    metadata: {
      dom_id: null,
      template_id: GENERIC_TEMPLATE_ID,
      engine,
      fetched_at: origin.fetchedAt,
      page_type: extraction.pageType,
      confidence: extraction.confidence,
      token_estimate: extraction.tokenEstimate,
      warnings: [...extraction.warnings, ...presentFieldFailures(read?.failures ?? [])],
      ...(origin.partial === true ? { partial: true } : {}),
    },
  };
}

/** Writes a failure in the format of the service's errors, then rethrows it. */
export async function writingFailure(io: CliIo, asJson: boolean, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (asJson && !(error instanceof CommandError && error.exitCode === 2))
      writeJson(io.stdout, { error: describe(error) });
    throw error;
  }
}

function describe(error: unknown): ErrorBody {
  if (error instanceof CommandError) return presentError(new AppError('invalid_request', error.message));
  return describeFailure(error, 'request');
}

/**
 * Returns a failure in the format of the service's errors.
 * @param stage for unexpected errors
 */
export function describeFailure(error: unknown, stage: Stage): ErrorBody {
  if (!(error instanceof AppError)) return presentError(new AppError('internal', '', { stage, cause: error }));
  // The user of the command may see internal messages.
  return { ...presentError(error), message: error.message };
}
