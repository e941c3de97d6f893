import { AppError } from './errors.ts';

/** Seconds after which another process is likely to serve in place of this one. */
const RETRY_AFTER_S = 5;

/** The answer to whatever this process will not do, or not finish, because it stops. */
export function shuttingDown(): AppError {
  return new AppError('overloaded', 'the service is shutting down', { retryAfterSeconds: RETRY_AFTER_S });
}
