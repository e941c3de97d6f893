import type { FastifyRequest } from 'fastify';
import type { Tenant } from '../../domain/admission/fair-queue.ts';
import type { ResultReader } from '../../domain/batches/batches.ts';

/** Returns the key, the signed-in user, or one tenant for all other callers. */
export function findTenant({ apiKey, signedIn }: FastifyRequest): Tenant {
  return {
    key: apiKey?.id ?? signedIn?.user.id ?? 'strangers',
    group: apiKey?.projectId ?? 'console',
  };
}

/** @param signal aborted when the caller hangs up */
export function findReader(request: FastifyRequest, signal: AbortSignal): ResultReader {
  return { key: findTenant(request).key, signal };
}
