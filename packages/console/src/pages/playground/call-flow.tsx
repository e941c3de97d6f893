import { Button } from '../../components/controls/button.tsx';
import type { History, FlowStep } from './use-run.ts';

interface CallFlowProps {
  readonly history: History;
  readonly hasSnapshot: boolean;
  readonly busy: boolean;
  readonly onStep: (step: FlowStep) => void;
}

const STEPS: readonly { step: FlowStep; title: string; why: string; action: string }[] = [
  {
    step: 'extract',
    title: 'Extract the page',
    why: 'The plain call; on failure its status and error say what went wrong.',
    action: 'Try again',
  },
  {
    step: 'trace',
    title: 'Repeat it with the trace',
    why: 'Shows what each stage did and how long it took.',
    action: 'Extract with trace',
  },
  {
    step: 'dump',
    title: 'Capture the page alone',
    why: 'Shows what the site really sends: the page, a challenge, an empty shell.',
    action: 'Capture the page',
  },
  {
    step: 'from-snapshot',
    title: 'Extract from that snapshot',
    why: 'Nothing is fetched: if this works, the fault lies in the fetch; if not, in the extraction.',
    action: 'Extract from it',
  },
];

/** The recommended steps after a failure, one click each. */
export function CallFlow({ history, hasSnapshot, busy, onStep }: CallFlowProps) {
  const next = STEPS.find(({ step }) => history[step] === undefined)?.step;
  return (
    <section className="card">
      <h2>What to do next</h2>
      <ol className="steps">
        {STEPS.map(({ step, title, why, action }) => (
          <li key={step} className={history[step] ?? (step === next ? 'next' : '')}>
            <div>
              <h3>
                {title}
                {history[step] !== undefined && (
                  <span className="muted"> – {history[step] === 'ok' ? 'worked' : 'failed'}</span>
                )}
              </h3>
              <p className="muted small">{why}</p>
            </div>
            <Button
              look={step === next ? 'primary small' : 'small'}
              label={action}
              disabled={busy || (step === 'from-snapshot' && !hasSnapshot)}
              onClick={() => onStep(step)}
            />
          </li>
        ))}
      </ol>
      <Verdict history={history} />
    </section>
  );
}

function Verdict({ history }: { readonly history: History }) {
  const text = judge(history);
  if (text === undefined) return null;
  return (
    <p className="note" role="status">
      {text}
    </p>
  );
}

function judge(history: History): string | undefined {
  if (history['from-snapshot'] === 'ok') {
    return 'The snapshot extracts well: the fault lies in the fetch stage. Another engine or more time may help.';
  }
  if (history['from-snapshot'] === 'failed') {
    return 'The snapshot does not extract either: the fault lies in the page or the extraction, not in the fetch.';
  }
  if (history.dump === 'failed') return 'The page cannot be captured at all: the fault lies in the fetch stage.';
  return undefined;
}
