import { Component, type ReactNode } from 'react';
import { Button } from '../controls/button.tsx';
import { ErrorNote } from './error-note.tsx';

interface FaultGuardProps {
  /** Address of the shown page; a new address resets the error. */
  readonly place: string;
  readonly children: ReactNode;
}

interface FaultGuardState {
  readonly error: unknown;
  readonly failed: boolean;
}

const SOUND: FaultGuardState = { error: undefined, failed: false };

/** Replaces a page that fails to render or load by the error and a reload button. */
export class FaultGuard extends Component<FaultGuardProps, FaultGuardState> {
  override state: FaultGuardState = SOUND;

  static getDerivedStateFromError(error: unknown): FaultGuardState {
    return { error, failed: true };
  }

  override componentDidUpdate({ place }: FaultGuardProps): void {
    if (this.state.failed && place !== this.props.place) this.setState(SOUND);
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <div className="stack">
        <ErrorNote error={this.state.error} />
        <p>The page could not be shown. The console may have been updated, or the service may be unreachable.</p>
        <div>
          <Button label="Reload" onClick={() => window.location.reload()} />
        </div>
      </div>
    );
  }
}
