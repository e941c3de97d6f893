import { Dialog } from '@base-ui/react/dialog';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Button, type ButtonProps } from './button.tsx';
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
        <Button label="Cancel" onClick={onClose} />
        <Button look="danger" label={action} disabled={busy} onClick={onConfirm} />
      </div>
    </Modal>
  );
}

interface AskingButtonProps<Answer> extends Pick<ButtonProps, 'label' | 'icon' | 'look' | 'disabled'> {
  /** For screen readers, where several buttons have one label. */
  readonly name?: string;
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
  title,
  action,
  name,
  run,
  onDone,
  done,
  undo,
  children,
  ...button
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
      <Button {...button} aria-label={name} onClick={() => setAsking(true)} />
      <Confirm
        title={title}
        action={action}
        open={asking}
        busy={isPending}
        error={error}
        onConfirm={() => mutate()}
        onClose={() => setAsking(false)}
      >
        {children}
      </Confirm>
    </>
  );
}
