import type { FastifyRequest } from 'fastify';
import type { Tenant } from '../../domain/admission/fair-queue.ts';

/** Returns the key, the signed-in user, or one tenant for all other callers. */
export function findTenant({ apiKey, signedIn }: FastifyRequest): Tenant {
  return {
    key: apiKey?.id ?? signedIn?.user.id ?? 'strangers',
    group: apiKey?.projectId ?? 'console',
  };
}
