import type { FastifyRequest } from 'fastify';
import type { Tenant } from '../../domain/admission/fair-queue.ts';

/** Returns on whose behalf a request is worked on before it is admitted: its key, who is signed in, or a stranger. */
export function findTenant({ apiKey, signedIn }: FastifyRequest): Tenant {
  return {
    key: apiKey?.id ?? signedIn?.user.id ?? 'strangers',
    group: apiKey?.projectId ?? 'console',
  };
}
