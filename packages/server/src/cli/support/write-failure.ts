import type { ErrorBody, Stage } from '@winnow/contract';
import { AppError } from '../../domain/shared/errors.ts';
import { presentError } from '../../http/answers/present.ts';
import { CommandError, writeJson } from './cli-io.ts';
import type { CliIo } from './cli-io.ts';

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
