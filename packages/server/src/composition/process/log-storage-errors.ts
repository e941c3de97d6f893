import type { Logger } from '../../domain/shared/ports.ts';
import type { OnStorageError } from '../../sqlite/sqlite-faults.ts';

const SPAN_MS = 60_000;

/**
 * Logs errors that prevent writes, for example a full disk, once a minute with their number and without a stack.
 * @param now monotonic clock in milliseconds
 */
export function logStorageErrors(logger: Logger, now: () => number = () => performance.now()): OnStorageError {
  const known = new Map<string, { quietUntil: number; failures: number }>();
  return ({ message, cause }) => {
    const fault = known.get(message) ?? { quietUntil: -Infinity, failures: 0 };
    known.set(message, fault);
    fault.failures += 1;
    if (now() < fault.quietUntil) return;
    logger.error({ reason: cause instanceof Error ? cause.message : undefined, failures: fault.failures }, message);
    fault.quietUntil = now() + SPAN_MS;
    fault.failures = 0;
  };
}
