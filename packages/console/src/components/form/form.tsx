import type { ReactNode } from 'react';
import { Button } from '../controls/button.tsx';
import { ErrorNote } from '../feedback/error-note.tsx';

interface FormProps {
  readonly onSubmit: () => void;
  /** Why the last submission failed; shown between the fields and the buttons. */
  readonly error?: Error | null;
  readonly actions: ReactNode;
  /** Fields that most users leave as they are; shown after the buttons. */
  readonly options?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A form that is submitted without navigation. */
export function Form({ onSubmit, error = null, actions, options, className = 'stack', children }: FormProps) {
  return (
    <form
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      {error && <ErrorNote error={error} />}
      {actions}
      {options}
    </form>
  );
}

interface DialogFormProps {
  /** The mutation that the form starts. */
  readonly change: Pick<FormProps, 'error'> & { readonly mutate: () => void; readonly isPending: boolean };
  readonly submit: string;
  readonly onCancel: () => void;
  /** More buttons, before the usual two. */
  readonly more?: ReactNode;
  readonly children: ReactNode;
}

/** The form of a dialog, which can be cancelled. */
export function DialogForm({ change, submit, onCancel, more, children }: DialogFormProps) {
  const actions = (
    <div className="actions">
      {more}
      <Button label="Cancel" onClick={onCancel} />
      <Button submits look="primary" label={submit} disabled={change.isPending} />
    </div>
  );
  return (
    <Form onSubmit={change.mutate} error={change.error ?? null} actions={actions}>
      {children}
    </Form>
  );
}

/** The button of a form that has no other. */
export function SubmitRow({ label, busy }: { readonly label: string; readonly busy: boolean }) {
  return (
    <div>
      <Button submits look="primary" label={label} disabled={busy} />
    </div>
  );
}
