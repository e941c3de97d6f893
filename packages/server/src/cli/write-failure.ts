import { AppError } from '../domain/errors.ts';
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

function describe(error: unknown): object {
  if (error instanceof CommandError) return { code: 'invalid_request', message: error.message, stage: 'request' };
  if (!(error instanceof AppError))
    return { code: 'internal', message: 'an unexpected error occurred', stage: 'request' };
  const { code, message, stage, upstreamStatusCode } = error;
  return {
    code,
    message,
    stage,
    ...(upstreamStatusCode === undefined ? {} : { upstream_status_code: upstreamStatusCode }),
  };
}
