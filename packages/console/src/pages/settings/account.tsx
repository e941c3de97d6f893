import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../components/controls/button.tsx';
import { FactList } from '../../components/data/fact-list.tsx';
import { ErrorNote } from '../../components/feedback/error-note.tsx';
import { Note } from '../../components/feedback/feedback.tsx';
import { TextField } from '../../components/form/field.tsx';
import { Form, SubmitRow } from '../../components/form/form.tsx';
import { admin } from '../../lib/admin.ts';
import { useSession } from '../../lib/session.tsx';

export function AccountSettings() {
  const { user, replace } = useSession();
  const everywhere = useMutation({ mutationFn: () => admin.signOutEverywhere(), onSuccess: () => replace(null) });
  return (
    <div className="columns">
      <section className="card">
        <h2>You</h2>
        <FactList
          facts={[
            ['E-mail', user.email],
            ['Role', user.role === 'admin' ? 'administrator' : 'member'],
          ]}
        />
        <p>
          <Button label="Sign out everywhere" disabled={everywhere.isPending} onClick={() => everywhere.mutate()} />
        </p>
        {everywhere.error && <ErrorNote error={everywhere.error} />}
      </section>
      <section className="card">
        <h2>Password</h2>
        <PasswordForm />
      </section>
    </div>
  );
}

const FIELDS = [
  { name: 'current', label: 'Current password', complete: 'current-password' },
  { name: 'next', label: 'New password', complete: 'new-password' },
] as const;

function PasswordForm() {
  const [values, setValues] = useState({ current: '', next: '' });
  const { mutate, error, isPending, isSuccess } = useMutation({
    mutationFn: () => admin.changePassword({ current_password: values.current, new_password: values.next }),
    onSuccess: () => setValues({ current: '', next: '' }),
  });
  return (
    <Form onSubmit={mutate} error={error} actions={<SubmitRow label="Change the password" busy={isPending} />}>
      {FIELDS.map(({ name, label, complete }) => (
        <TextField
          key={name}
          label={label}
          hint={name === 'next' ? 'At least 10 characters.' : undefined}
          type="password"
          required
          autoComplete={complete}
          value={values[name]}
          onChange={(value) => setValues({ ...values, [name]: value })}
        />
      ))}
      {isSuccess && <Note tone="good">Changed. Your other sessions were ended.</Note>}
    </Form>
  );
}
