import { WinnowApiError, type ErrorCode, type SessionResponse } from '@winnow/client';
import type { QueryClient } from '@tanstack/react-query';
import { createContext, useContext, type Context } from 'react';
import { admin } from './admin.ts';

interface Session {
  readonly user: SessionResponse['user'];
  /** Stores the answer of a sign-in, or forgets the session. */
  readonly replace: (session: SessionResponse | null) => void;
}

/** Provided by `SessionGate` in `app.tsx`. */
export const SessionContext: Context<Session | undefined> = createContext<Session | undefined>(undefined);

export const SESSION_KEY = ['session'];

/** Reads the signed-in user; null without one. */
export async function readSession(client: QueryClient): Promise<SessionResponse | null> {
  try {
    const before = client.getQueryData<SessionResponse | null>(SESSION_KEY);
    const session = await admin.session();
    if (before && before.user.id !== session.user.id) forgetAnswers(client);
    return session;
  } catch (error) {
    if (hasCode(error, 'unauthorized')) return null;
    throw error;
  }
}

/** Drops data of another user. */
export function forgetAnswers(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
}

/**
 * Ends the session here after the server ended it. After a refusal it checks the session, because another user may have
 * signed in in another window.
 */
export function noticeSession(client: QueryClient, error: unknown): void {
  if (hasCode(error, 'unauthorized')) client.setQueryData(SESSION_KEY, null);
  else if (hasCode(error, 'forbidden')) void client.invalidateQueries({ queryKey: SESSION_KEY });
}

function hasCode(error: unknown, code: ErrorCode): boolean {
  return error instanceof WinnowApiError && error.code === code;
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('no session around this component');
  return session;
}
