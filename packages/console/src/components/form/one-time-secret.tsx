import type { ReactNode } from 'react';
import { CopyButton } from '../controls/copy-button.tsx';
import { Note } from '../feedback/feedback.tsx';

interface OneTimeSecretProps {
  readonly secret: string;
  readonly what: string;
  readonly warning: string;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}

/** A value that is shown only once: a key, a one-time link. */
export function OneTimeSecret({ secret, what, warning, onClose, children }: OneTimeSecretProps) {
  return (
    <div className="stack">
      <Note tone="warn">{warning}</Note>
      <div className="secret">
        <span className="grow">{secret}</span>
        <CopyButton text={secret} what={what} />
      </div>
      {children}
      <div className="actions">
        <button type="button" className="button primary" onClick={onClose}>
          Done
        </button>
      </div>
    </div>
  );
}
