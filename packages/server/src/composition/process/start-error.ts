import { isDamage } from '../../sqlite/sqlite-damage.ts';
import { isBusy, isDiskFull } from '../../sqlite/sqlite-faults.ts';

/** A failed start, explained without a stack trace. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
  }
}

/** Advice for failures of a database or its disk, except permissions; otherwise undefined. */
export function adviseOnStorage(error: unknown): string | undefined {
  if (isDamage(error)) return 'the file is damaged: restore a backup (winnow restore)';
  if (isDiskFull(error)) return 'free space on its disk, more than 64 MiB';
  if (isBusy(error)) return 'end the other process that holds the lock, or try again when it is done';
  return undefined;
}

/** Converts failures that the operator can repair to {@link StartError}. */
export function explainStart(error: unknown): unknown {
  const advice = error instanceof StartError ? undefined : adviseOnStorage(error);
  if (advice === undefined || !(error instanceof Error)) return error;
  return new StartError(`the service cannot start: ${error.message}; ${advice}`, { cause: error });
}

const WORDS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there already',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'it is not permitted',
  ENOTFOUND: 'the name is not known',
};

/** @throws {StartError} if the operator can repair it */
export async function listenOrExplain(listen: () => Promise<string>, address: string): Promise<string> {
  try {
    return await listen();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!(error instanceof Error) || code === '') throw error;
    const words = WORDS[code] ?? error.message;
    throw new StartError(`cannot listen on ${address}: ${words}; see WINNOW_HOST and WINNOW_PORT`, { cause: error });
  }
}
