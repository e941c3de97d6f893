import type { CompiledFields, FieldsPage, ReadFields, RequestedField } from '@winnow/extract/templates';
import { AppError } from '../shared/errors.ts';
import type { StageBudget } from '../shared/ports.ts';

/** Reads requested fields in worker threads. */
export interface FieldReader {
  /** Throws AppError `extract_timeout`. */
  readFields(page: FieldsPage, fields: readonly RequestedField[], budget: StageBudget): Promise<ReadFields>;
}

/**
 * Refuses invalid selectors before anything is fetched.
 * @param path of the fields in the body
 * @throws {AppError} `invalid_request`
 */
export async function checkFields(fields: readonly RequestedField[] | undefined, path: string): Promise<void> {
  if (fields === undefined || fields.length === 0) return;
  // Few requests need the selector engines.
  const { compileFields, TemplateFault } = await import('@winnow/extract/templates');
  try {
    compileFields(fields) satisfies CompiledFields;
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error;
    const [, place = '', message = ''] = /^(\[\d+\]\.selector)(?:\.\w+)?: ([\s\S]*)$/.exec(error.message) ?? [];
    throw new AppError('invalid_request', `${path}${place}: ${message === '' ? error.message : message}`);
  }
}
