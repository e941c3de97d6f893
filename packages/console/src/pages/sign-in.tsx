import type { SessionResponse } from '@winnow/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../components/controls/button.tsx';
import { Note } from '../components/feedback/feedback.tsx';
import { EntryCard } from '../components/layout/entry-card.tsx';
import { TextField } from '../components/form/field.tsx';
import { Form } from '../components/form/form.tsx';
import { admin } from '../lib/admin.ts';

export function SignIn({ onSignedIn }: { readonly onSignedIn: (session: SessionResponse) => void }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => admin.signIn({ email, password }),
    onSuccess: onSignedIn,
    meta: { signsIn: true },
  });
  const setup = useQuery({ queryKey: ['setup'], queryFn: () => admin.setup() });
  return (
    <EntryCard title="Sign in">
      <Form
        onSubmit={mutate}
        error={error}
        actions={
          <>
            <Button submits look="primary" label={isPending ? 'Signing in…' : 'Sign in'} disabled={isPending} />
            {setup.data?.needs_administrator === true ? (
              <Note>
                There is no account yet. Open the one-time link that the service printed when it started: in its
                terminal, or in its log. A restart prints another one.
              </Note>
            ) : (
              <p className="muted small">
                Forgot your password? Ask an administrator for a link, or run{' '}
                <code>./winnow users reset-password EMAIL</code> on the server.
              </p>
            )}
          </>
        }
      >
        <TextField label="E-mail" type="email" autoComplete="username" required value={email} onChange={setEmail} />
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={setPassword}
        />
      </Form>
    </EntryCard>
  );
}
