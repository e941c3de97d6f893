/** https://www.sqlite.org/rescode.html */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../domain/shared/errors.ts';

/** SQLITE_BUSY and SQLITE_LOCKED. */
const LOCKED: ReadonlySet<number | undefined> = new Set([5, 6]);
const FULL = 13;

/** Shared memory cannot grow: the symptom of a full disk when a log is read. */
const SHARED_MEMORY_SIZE = 4874;

const NO_ROOM: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** Seconds until a retry: locks end soon, a full disk takes longer. */
const LOCKED_RETRY_S = 1;
const FULL_RETRY_S = 30;

export type OnStorageError = (fault: AppError) => void;

interface Codes {
  readonly errcode?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
}

/** Finds the extended code of an error or its causes. */
function resultCodeOf(error: unknown): number | undefined {
  const known = findCodes(error, ({ errcode }) => typeof errcode === 'number');
  return known?.errcode as number | undefined;
}

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

/** Converts a lock or a full disk to AppError `overloaded`; returns other errors unchanged. */
export function explainFault(error: unknown, stage: 'request' | 'snapshot', onStorageError?: OnStorageError): unknown {
  if (error instanceof AppError) return error;
  const explain = (message: string, retryAfterSeconds: number): AppError => {
    const fault = new AppError('overloaded', message, { stage, retryAfterSeconds, cause: error });
    onStorageError?.(fault);
    return fault;
  };
  if (isBusy(error)) return explain('the database is locked by another process', LOCKED_RETRY_S);
  if (isDiskFull(error)) return explain('the disk of the service is full', FULL_RETRY_S);
  return error;
}

/** Between threads only message, stack and cause survive, so the codes become the cause. */
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

const PATIENCE_MS = 5000;

const MAX_PAUSE_MS = 50;

/**
 * Retries work during locks of other processes. SQLite's own waiting would block the thread.
 * @param work must have no effect when it fails
 * @throws what `work` throws; SQLite's error when the lock lasts too long
 */
export async function retryWhileBusy<T>(
  work: () => T | Promise<T>,
  pause: (ms: number) => Promise<unknown> = sleep,
): Promise<T> {
  const until = performance.now() + PATIENCE_MS;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= until) throw error;
    }
    await pause(pauseMs);
  }
}
