import type { SessionResponse } from '@winnow/client';
import { WinnowApiError } from '@winnow/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import type { ReactNode } from 'react';
import { Loading } from '../components/feedback.tsx';
import { ErrorNote } from '../components/error-note.tsx';
import { SignIn } from '../pages/sign-in.tsx';
import { admin } from './admin.ts';

interface Session {
  readonly user: SessionResponse['user'];
  /** Takes the answer to a sign-in, or forgets the session. */
  readonly replace: (session: SessionResponse | null) => void;
}

const SessionContext = createContext<Session | undefined>(undefined);

export const SESSION_KEY = ['session'];

/** Shows what is inside to whoever is signed in, and the sign-in page to everybody else. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const client = useQueryClient();
  const { data, error, isPending } = useQuery({ queryKey: SESSION_KEY, queryFn: readSession, staleTime: Infinity });
  const replace = (session: SessionResponse | null): void => {
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
    client.setQueryData(SESSION_KEY, session);
  };
  if (isPending) return <Loading what="the console" />;
  if (error) return <ErrorNote error={error} />;
  if (data === null) return <SignIn onSignedIn={replace} />;
  return <SessionContext value={{ user: data.user, replace }}>{children}</SessionContext>;
}

async function readSession(): Promise<SessionResponse | null> {
  try {
    return await admin.session();
  } catch (error) {
    if (isSignedOut(error)) return null;
    throw error;
  }
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof WinnowApiError && error.code === 'unauthorized';
}

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('no session around this component');
  return session;
}
