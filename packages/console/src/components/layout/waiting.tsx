import { Button } from '../controls/button.tsx';
import { ErrorNote } from '../feedback/error-note.tsx';
import { Loading } from '../feedback/feedback.tsx';

interface WaitingProps {
  readonly what: string;
  /** Why loading failed; null while loading. */
  readonly error: Error | null;
  readonly onRetry: () => Promise<unknown>;
}

export function Waiting({ what, error, onRetry }: WaitingProps) {
  if (!error) return <Loading what={what} />;
  return (
    <div className="stack">
      <ErrorNote error={error} />
      <div>
        <Button label="Try again" onClick={() => void onRetry()} />
      </div>
    </div>
  );
}
