import type { LinkResponse } from '@winnow/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, useSyncExternalStore } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../components/controls/button.tsx';
import { EntryCard } from '../components/layout/entry-card.tsx';
import { ErrorNote } from '../components/feedback/error-note.tsx';
import { Loading } from '../components/feedback/feedback.tsx';
import { TextField } from '../components/form/field.tsx';
import { Form } from '../components/form/form.tsx';
import { admin } from '../lib/admin.ts';
import { basePath } from '../lib/base-path.ts';
import { SESSION_KEY } from '../lib/session.tsx';

const TITLES = {
  setup: 'Create the first administrator',
  invite: 'Join this console',
  reset: 'Choose a new password',
} as const;

const MIN_PASSWORD = 10;

/** Page of one-time links. The token follows `#`, so browsers never send it. */
export function Welcome() {
  const token = useSyncExternalStore(subscribeToHash, () => window.location.hash.slice(1));
  const { data, error } = useQuery({ queryKey: ['link', token], queryFn: () => admin.lookUpLink(token), retry: false });
  if (error) {
    return (
      <EntryCard title="This link does not work">
        <div className="stack">
          <ErrorNote error={error} />
          <p className="muted">
            Ask an administrator for a new one. Whenever the service starts without an administrator, it shows a link
            for the first one; <code>winnow users</code> on the server creates others.
          </p>
          <a className="button" href={`${basePath}/console/`}>
            Go to the sign-in
          </a>
        </div>
      </EntryCard>
    );
  }
  if (!data) return <Loading what="the link" />;
  return <AcceptForm key={token} token={token} link={data} />;
}

/** A browser does not reload the page if only the part after `#` changes. */
function subscribeToHash(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

function AcceptForm({ token, link }: { readonly token: string; readonly link: LinkResponse }) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [email, setEmail] = useState(link.email ?? '');
  const [password, setPassword] = useState('');
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => admin.acceptLink({ token, password, ...(link.email === null ? { email } : {}) }),
    onSuccess: (session) => {
      client.clear();
      client.setQueryData(SESSION_KEY, session);
      navigate('/', { replace: true });
    },
    meta: { signsIn: true },
  });
  const short = password !== '' && password.length < MIN_PASSWORD;
  return (
    <EntryCard title={TITLES[link.kind]}>
      <Form
        onSubmit={mutate}
        error={error}
        actions={
          <Button
            submits
            look="primary"
            label={isPending ? 'One moment…' : 'Continue'}
            disabled={isPending || password.length < MIN_PASSWORD}
          />
        }
      >
        <TextField
          label="E-mail"
          type="email"
          autoComplete="username"
          required
          readOnly={link.email !== null}
          value={email}
          onChange={setEmail}
        />
        <TextField
          label="Password"
          hint={`At least ${MIN_PASSWORD} characters; several words are a good password.`}
          problem={short ? `At least ${MIN_PASSWORD} characters` : undefined}
          type="password"
          autoComplete="new-password"
          required
          value={password}
          onChange={setPassword}
        />
      </Form>
    </EntryCard>
  );
}
