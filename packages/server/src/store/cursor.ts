import { AppError } from '../domain/errors.ts';

/** Where a page of a list ended: the row's time and id. */
export interface Cursor {
  readonly time: number;
  readonly id: string;
}

/** The cursor as callers see it: opaque, safe in a URL. */
export function encodeCursor(cursor: Cursor): string {
  return Buffer.from(`${cursor.time}:${cursor.id}`).toString('base64url');
}

/** Throws AppError `invalid_request` for anything that {@link encodeCursor} did not make. */
export function decodeCursor(text: string): Cursor {
  const match = /^(\d{1,15}):([\w.:-]{1,128})$/.exec(Buffer.from(text, 'base64url').toString('latin1'));
  const [, time, id] = match ?? [];
  if (time === undefined || id === undefined)
    throw new AppError('invalid_request', 'cursor: not a cursor of this list');
  return { time: Number(time), id };
}
