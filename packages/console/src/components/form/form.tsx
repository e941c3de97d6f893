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

interface DialogActionsProps {
  readonly submit: string;
  readonly busy: boolean;
  readonly onCancel: () => void;
  /** More buttons, before these two. */
  readonly children?: ReactNode;
}

export function DialogActions({ submit, busy, onCancel, children }: DialogActionsProps) {
  return (
    <div className="actions">
      {children}
      <Button label="Cancel" onClick={onCancel} />
      <Button submits look="primary" label={submit} disabled={busy} />
    </div>
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
