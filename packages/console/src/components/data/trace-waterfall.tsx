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

/** A JSON object as names and values; nested objects and lists in a line each. */
function DetailTree({ value }: { readonly value: Readonly<Record<string, unknown>> }) {
  const facts = Object.entries(value).map(([name, item]) => [nameOf(name), show(item)] as const);
  return <FactList facts={facts} />;
}

function show(value: unknown): ReactNode {
  if (!Array.isArray(value) || value.length === 0) return write(value);
  return (
    <ul>
      {value.map((item, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- the details of a trace never change
        <li key={index}>{write(item)}</li>
      ))}
    </ul>
  );
}

function write(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(write).join(', ');
  if (typeof value !== 'object') return JSON.stringify(value);
  const parts = Object.entries(value).map(([name, item]) => `${nameOf(name)}: ${write(item)}`);
  return parts.length === 0 ? 'none' : parts.join(' · ');
}

function nameOf(field: string): string {
  return field.replaceAll('_', ' ');
}
