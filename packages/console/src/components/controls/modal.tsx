import { Dialog } from '@base-ui/react/dialog';
import { useMutation } from '@tanstack/react-query';
import type { LucideIcon } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { ErrorNote } from '../feedback/error-note.tsx';
import { notify, type Undo } from '../feedback/toasts.tsx';

interface ModalProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
}

/** A dialog that keeps the focus, closes with Escape and returns the focus. */
export function Modal({ open, onClose, title, children }: ModalProps) {
  // What names a dialog is often gone when it closes; its title stays until it has faded.
  const [lastTitle, setLastTitle] = useState(title);
  if (open && title !== lastTitle) setLastTitle(title);
  return (
    // A click beside a form would lose what was typed.
    <Dialog.Root open={open} disablePointerDismissal onOpenChange={(next) => (next ? undefined : onClose())}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <div className="stack">
            <Dialog.Title render={<h2 />}>{open ? title : lastTitle}</Dialog.Title>
            {children}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface ConfirmProps extends ModalProps {
  readonly action: string;
  readonly busy?: boolean;
  /** Why the action failed. */
  readonly error?: Error | null;
  readonly onConfirm: () => void;
}

/** Asks before an action that removes something or stops it; its content names what follows. */
export function Confirm({ open, title, action, busy = false, error, onConfirm, onClose, children }: ConfirmProps) {
  return (
    <Modal open={open} onClose={onClose} title={title}>
      <div className="stack-s">
        {children}
        {error && <ErrorNote error={error} />}
      </div>
      <div className="actions">
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="button danger" disabled={busy} onClick={onConfirm}>
          {action}
        </button>
      </div>
    </Modal>
  );
}

interface AskingButtonProps<Answer> {
  readonly label: ReactNode;
  readonly icon?: LucideIcon;
  /** For screen readers, where several buttons have one label. */
  readonly name?: string;
  readonly look?: 'danger' | 'primary' | 'small' | 'small danger';
  readonly disabled?: boolean;
  readonly title: string;
  readonly action: string;
  readonly run: () => Promise<Answer>;
  readonly onDone: (answer: Answer) => void;
  /** Said afterwards, perhaps with a way back. */
  readonly done: string;
  readonly undo?: Undo | undefined;
  /** What follows. */
  readonly children: ReactNode;
}

export function AskingButton<Answer>({
  label,
  icon: Icon,
  name,
  look,
  disabled,
  run,
  onDone,
  done,
  undo,
  ...question
}: AskingButtonProps<Answer>) {
  const [asking, setAsking] = useState(false);
  const { mutate, error, isPending } = useMutation({
    mutationFn: run,
    onSuccess: (answer) => {
      setAsking(false);
      notify(done, undo);
      onDone(answer);
    },
  });
  return (
    <>
      <button
        type="button"
        className={look ? `button ${look}` : 'button'}
        aria-label={name}
        disabled={disabled}
        onClick={() => setAsking(true)}
      >
        {Icon && <Icon size={15} aria-hidden="true" />}
        {Icon && ' '}
        {label}
      </button>
      <Confirm
        {...question}
        open={asking}
        busy={isPending}
        error={error}
        onConfirm={() => mutate()}
        onClose={() => setAsking(false)}
      />
    </>
  );
}
