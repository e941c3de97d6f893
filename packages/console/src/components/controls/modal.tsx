import { Dialog } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';

interface ModalProps {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly children: ReactNode;
}

/** A dialog that keeps the focus, closes with Escape and returns the focus. */
export function Modal({ open, onClose, title, children }: ModalProps) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => (next ? undefined : onClose())}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog">
          <div className="stack">
            <Dialog.Title render={<h2 />}>{title}</Dialog.Title>
            {children}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface ConfirmProps {
  readonly open: boolean;
  readonly title: string;
  readonly action: string;
  readonly busy?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Asks before an action that removes something or stops it; its content names what follows. */
export function Confirm({ open, title, action, busy = false, onConfirm, onClose, children }: ConfirmProps) {
  return (
    <Modal open={open} onClose={onClose} title={title}>
      <div>{children}</div>
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
