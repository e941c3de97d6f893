import type { ReusePolicy } from '../../domain/capture/reuse-snapshot.ts';
import { AppError } from '../../domain/shared/errors.ts';

/** From this many seconds, an age means any age (RFC 9111, 1.2.2). */
const MAX_SECONDS = 2 ** 31;
const MAX_LENGTH = 1000;

/**
 * Reads when a stored snapshot replaces a fetch (RFC 9111, 5.2.1); undefined without an effective directive.
 * @throws {AppError} `invalid_request` for a `max-age` that is not a whole number of seconds
 */
export function readCacheControl(header: string | undefined): ReusePolicy | undefined {
  if (header === undefined) return undefined;
  if (header.length > MAX_LENGTH)
    throw new AppError('invalid_request', `Cache-Control: must have at most ${MAX_LENGTH} characters`);
  const directives = header.split(',').map(readDirective);
  const has = (wanted: string): boolean => directives.some(({ name }) => name === wanted);
  const ages = directives.filter(({ name }) => name === 'max-age').map(({ value }) => readSeconds(value));
  const onlyIfCached = has('only-if-cached');
  if (has('no-cache') || has('no-store')) return { maxAgeMs: 0, mayFetch: !onlyIfCached };
  if (ages.length === 0 && !onlyIfCached) return undefined;
  // The smallest age applies.
  return { maxAgeMs: Math.min(Infinity, ...ages) * 1000, mayFetch: !onlyIfCached };
}

function readDirective(text: string): { readonly name: string; readonly value: string } {
  const at = text.indexOf('=');
  const name = (at === -1 ? text : text.slice(0, at)).trim().toLowerCase();
  const value = at === -1 ? '' : text.slice(at + 1).trim();
  // Quotes are obsolete but accepted.
  return { name, value: /^"[^"]*"$/.test(value) ? value.slice(1, -1) : value };
}

function readSeconds(value: string): number {
  if (!/^\d{1,20}$/.test(value))
    throw new AppError(
      'invalid_request',
      'Cache-Control: max-age must be a whole number of seconds, such as max-age=3600',
    );
  const seconds = Number(value);
  return seconds >= MAX_SECONDS ? Infinity : seconds;
}

export function ageOf(time: Date): string {
  return String(Math.max(0, Math.floor((Date.now() - time.getTime()) / 1000)));
}
