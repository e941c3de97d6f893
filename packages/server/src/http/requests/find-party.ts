import type { FastifyRequest } from 'fastify';
import type { Party } from '../../domain/admission/fair-queue.ts';

/** Returns on whose behalf a request is worked on before it is admitted: its key, who is signed in, or a stranger. */
export function findParty({ apiKey, signedIn }: FastifyRequest): Party {
  return {
    lane: apiKey?.id ?? signedIn?.user.id ?? 'strangers',
    group: apiKey?.projectId ?? 'console',
  };
}
