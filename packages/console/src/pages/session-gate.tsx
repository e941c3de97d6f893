import type { SessionResponse } from '@winnow/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Waiting } from '../components/feedback/waiting.tsx';
import { forgetAnswers, readSession, SESSION_KEY, SessionContext } from '../lib/session.tsx';
import { SignIn } from './sign-in.tsx';

/** Shows its children to signed-in users, and the sign-in page to others. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: SESSION_KEY,
    queryFn: () => readSession(client),
    staleTime: Infinity,
  });
  const replace = (session: SessionResponse | null): void => {
    forgetAnswers(client);
    client.setQueryData(SESSION_KEY, session);
  };
  if (data === undefined) return <Waiting what="the console" error={error} onRetry={refetch} />;
  if (data === null) return <SignIn onSignedIn={replace} />;
  return (
    <SessionContext key={data.user.id} value={{ user: data.user, replace }}>
      {children}
    </SessionContext>
  );
}
