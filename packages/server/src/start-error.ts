/** Why the service cannot start, in words for whoever started it; no stack trace helps with that. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
  }
}

const WORDS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there already',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'it is not permitted',
  ENOTFOUND: 'the name is not known',
};

/** @throws {StartError} in place of a failure to listen that the caller can mend */
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
