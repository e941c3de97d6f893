import type { ReactNode } from 'react';
import { Button } from '../controls/button.tsx';
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
        <Button look="primary" label="Done" onClick={onClose} />
      </div>
    </div>
  );
}
