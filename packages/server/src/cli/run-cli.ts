import { CommanderError } from 'commander';
import { ConfigError } from '../config/config.ts';
import { UnreadableFileError } from '../config/regular-file.ts';
import { AppError } from '../domain/shared/errors.ts';
import { StartError } from '../composition/process/start-error.ts';
import { CommandError, writeLine, writeStack } from './support/cli-io.ts';
import type { CliIo } from './support/cli-io.ts';
import { createProgram } from './program.ts';

/**
 * Runs a command line (without the program's name); returns the exit code: 0 done, 1 failed, 2 invalid command line or
 * configuration, 3 done with warnings that the caller wants to fail.
 */
export async function runCli(args: readonly string[], io: CliIo, version: string): Promise<number> {
  try {
    await createProgram(io, version).parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    return reportFailure(error, io);
  }
}

function reportFailure(error: unknown, io: CliIo): number {
  // commander has reported the error; its code is 0 for help and version.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof CommandError) {
    writeLine(io.stderr, `winnow: ${error.message}`);
    return error.exitCode;
  }
  // An interrupted command may fail in any way.
  if (io.signal.aborted) {
    writeLine(io.stderr, 'winnow: stopped');
    return 1;
  }
  if (error instanceof ConfigError) {
    writeLine(io.stderr, `winnow: ${error.title}`);
    for (const fault of error.faults) writeLine(io.stderr, `  ${fault}`);
    return 2;
  }
  // System errors about files (permissions, space) concern the user.
  if (error instanceof StartError || error instanceof UnreadableFileError || isSystemError(error)) {
    writeLine(io.stderr, `winnow: ${error.message}`);
    return 1;
  }
  if (error instanceof AppError && error.code !== 'internal') {
    writeLine(io.stderr, `winnow: ${error.code} (${error.stage}): ${error.message}`);
    return 1;
  }
  writeStack(io.stderr, error);
  return 1;
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}
