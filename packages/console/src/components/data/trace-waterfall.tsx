import type { TraceStep } from '@winnow/client';
import type { ReactNode } from 'react';
import { formatMs } from '../../lib/format.ts';
import { Badge } from '../feedback/feedback.tsx';
import { FactList } from './fact-list.tsx';

export function TraceWaterfall({ steps }: { readonly steps: readonly TraceStep[] }) {
  const end = Math.max(1, ...steps.map((step) => step.started_ms + step.elapsed_ms));
  return (
    <ol className="waterfall" aria-label="Stages">
      {steps.map((step) => (
        <li key={step.stage}>
          <div className="step">
            <strong>{step.stage}</strong>
            <div className="track" aria-hidden="true">
              {step.status !== 'skipped' && (
                <i
                  className={step.status}
                  style={{ left: `${(step.started_ms / end) * 100}%`, width: `${(step.elapsed_ms / end) * 100}%` }}
                />
              )}
            </div>
            <span className="time">
              {step.status === 'skipped' ? 'skipped' : formatMs(step.elapsed_ms)}
              <span className="visually-hidden"> {step.status}</span>
            </span>
          </div>
          {step.status === 'failed' && (
            <div className="row">
              <Badge tone="bad">failed</Badge>
            </div>
          )}
          {Object.keys(step.detail).length > 0 && (
            <details open={step.status === 'failed'}>
              <summary>
                Details <span className="visually-hidden">of {step.stage}</span>
              </summary>
              <DetailTree value={step.detail} />
            </details>
          )}
        </li>
      ))}
    </ol>
  );
}

/** A JSON object as names and values; nested objects as JSON. */
function DetailTree({ value }: { readonly value: Readonly<Record<string, unknown>> }) {
  const facts = Object.entries(value).map(([name, item]) => [name.replaceAll('_', ' '), show(item)] as const);
  return <FactList facts={facts} />;
}

function show(value: unknown): ReactNode {
  const isPlain = typeof value !== 'object' || value === null;
  return isPlain ? write(value) : <span className="mono">{write(value)}</span>;
}

function write(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value) && value.length === 0) return 'none';
  return JSON.stringify(value);
}
