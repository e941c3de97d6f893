import type { ErrorBody, Stage } from '@winnow/contract';
import { AppError } from '../../domain/shared/errors.ts';
import { presentError } from '../../http/answers/present.ts';
import { CommandError, writeJson } from './cli-io.ts';
import type { CliIo } from './cli-io.ts';

/**
 * For commands whose output a program reads: a failure is written in the shape of the service's errors,
 * then passed on to whoever sets the exit code.
 */
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
 * A failure in the shape of the service's errors.
 * @param stage of what nobody foresaw; an error of the service knows its own
 */
export function describeFailure(error: unknown, stage: Stage): ErrorBody {
  if (!(error instanceof AppError)) return presentError(new AppError('internal', '', { stage, cause: error }));
  // Whoever runs a command may know what went wrong inside.
  return { ...presentError(error), message: error.message };
}
