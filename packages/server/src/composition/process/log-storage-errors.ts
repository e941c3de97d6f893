import type { Logger } from '../../domain/shared/ports.ts';
import type { OnStorageError } from '../../sqlite/sqlite-faults.ts';

/** Milliseconds for which a trouble that goes on is not logged again. */
const SPAN_MS = 60_000;

/**
 * Logs what keeps the database from writing, such as a full disk: each trouble once a minute, without a stack, however many
 * requests it fails; the next line says how many there were.
 *
 * @param now milliseconds on a clock that only goes forward
 */
export function logStorageErrors(logger: Logger, now: () => number = () => performance.now()): OnStorageError {
  const known = new Map<string, { quietUntil: number; failures: number }>();
  return ({ message, cause }) => {
    const trouble = known.get(message) ?? { quietUntil: -Infinity, failures: 0 };
    known.set(message, trouble);
    trouble.failures += 1;
    if (now() < trouble.quietUntil) return;
    logger.error({ reason: cause instanceof Error ? cause.message : undefined, failures: trouble.failures }, message);
    trouble.quietUntil = now() + SPAN_MS;
    trouble.failures = 0;
  };
}
