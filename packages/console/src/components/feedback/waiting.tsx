import { ErrorNote } from './error-note.tsx';
import { Loading } from './feedback.tsx';

interface WaitingProps {
  readonly what: string;
  /** Why there is nothing yet; null while it is still awaited. */
  readonly error: Error | null;
  readonly onRetry: () => Promise<unknown>;
}

/** In place of what the whole console waits for; what cannot be had now can be asked for again. */
export function Waiting({ what, error, onRetry }: WaitingProps) {
  if (!error) return <Loading what={what} />;
  return (
    <div className="stack">
      <ErrorNote error={error} />
      <div>
        <button type="button" className="button" onClick={() => void onRetry()}>
          Try again
        </button>
      </div>
    </div>
  );
}
