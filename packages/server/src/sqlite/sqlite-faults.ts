/** What went wrong in SQLite, by its result codes: https://www.sqlite.org/rescode.html */
import { AppError } from '../domain/errors.ts';

/** SQLITE_BUSY and SQLITE_LOCKED. */
const LOCKED: ReadonlySet<number | undefined> = new Set([5, 6]);
const FULL = 13;

/** The extended code for a file of shared memory that cannot grow, which is how a full disk shows when a log is read. */
const SHARED_MEMORY_SIZE = 4874;

/** The system's words for a disk, or the part of it that this user may fill, without room. */
const NO_ROOM: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** Seconds after which the caller may try again: locks go soon, room on a disk has to be made. */
const LOCKED_RETRY_S = 1;
const FULL_RETRY_S = 30;

/** Hears of each failure of a caller that a lock or a full disk has caused. */
export type OnTrouble = (trouble: AppError) => void;

interface Codes {
  readonly errcode?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
}

/** The extended result code of an error, or of what it came of; undefined for one that is not SQLite's. */
function resultCodeOf(error: unknown): number | undefined {
  const known = findCodes(error, ({ errcode }) => typeof errcode === 'number');
  return known?.errcode as number | undefined;
}

/** Whether another process, or another statement, holds the lock that a statement needs. */
export function isBusy(error: unknown): boolean {
  return LOCKED.has(primaryCodeOf(error));
}

export function isDiskFull(error: unknown): boolean {
  if (primaryCodeOf(error) === FULL || resultCodeOf(error) === SHARED_MEMORY_SIZE) return true;
  return findCodes(error, ({ code }) => NO_ROOM.has(code)) !== undefined;
}

export function primaryCodeOf(error: unknown): number | undefined {
  const code = resultCodeOf(error);
  return code === undefined ? undefined : code & 0xff;
}

/**
 * A failure that passes, a lock or a full disk, as the error that callers get: `overloaded`. Any other stays what it is.
 *
 * @param stage in which it arose
 */
export function explainFault(error: unknown, stage: 'request' | 'snapshot', onTrouble?: OnTrouble): unknown {
  if (error instanceof AppError) return error;
  const explain = (message: string, retryAfterSeconds: number): AppError => {
    const trouble = new AppError('overloaded', message, { stage, retryAfterSeconds, cause: error });
    onTrouble?.(trouble);
    return trouble;
  };
  if (isBusy(error)) return explain('the database is locked by another process', LOCKED_RETRY_S);
  if (isDiskFull(error)) return explain('the disk of the service is full', FULL_RETRY_S);
  return error;
}

/** An error that is to cross to another thread. Of an error only message, stack and cause do: the codes go as its cause. */
export function keepCodes(error: unknown): unknown {
  const { errcode, code } = error as Codes;
  if (!(error instanceof Error) || (errcode === undefined && code === undefined)) return error;
  const kept = new Error(error.message, { cause: { errcode, code } });
  if (error.stack !== undefined) kept.stack = error.stack;
  return kept;
}

function findCodes(error: unknown, isMeant: (codes: Codes) => boolean): Codes | undefined {
  for (let one = error; typeof one === 'object' && one !== null; one = (one as Codes).cause) {
    if (isMeant(one)) return one;
  }
  return undefined;
}
