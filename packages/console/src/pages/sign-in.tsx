import type { SessionResponse } from '@winnow/client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { EntryCard } from '../components/entry-card.tsx';
import { ErrorNote } from '../components/error-note.tsx';
import { Field } from '../components/field.tsx';
import { admin } from '../lib/admin.ts';

export function SignIn({ onSignedIn }: { readonly onSignedIn: (session: SessionResponse) => void }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => admin.signIn({ email, password }),
    onSuccess: onSignedIn,
    meta: { signsIn: true },
  });
  return (
    <EntryCard title="Sign in">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        <Field label="E-mail">
          {(props) => (
            <input
              {...props}
              className="input"
              type="email"
              autoComplete="username"
              required
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
          )}
        </Field>
        <Field label="Password">
          {(props) => (
            <input
              {...props}
              className="input"
              type="password"
              autoComplete="current-password"
              required
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          )}
        </Field>
        {error && <ErrorNote error={error} />}
        <button className="button primary" disabled={isPending}>
          {isPending ? 'Signing in…' : 'Sign in'}
        </button>
        <p className="muted small">
          No account, or no password? An administrator can send you a link; <code>winnow users</code> on the server
          helps when there is none.
        </p>
      </form>
    </EntryCard>
  );
}
