import type { BatchBody } from '@winnow/client';
import { Badge, type Tone } from '../../components/feedback/feedback.tsx';
import { formatCount } from '../../lib/format.ts';

const TONES: Readonly<Record<BatchBody['state'], Tone | undefined>> = {
  running: 'accent',
  completed: 'good',
  cancelled: undefined,
};

export function BatchBadge({ state }: { readonly state: BatchBody['state'] }) {
  return <Badge tone={TONES[state]}>{state}</Badge>;
}

/** Finished items by outcome, as a bar with figures. */
export function BatchProgress({ batch: { counts, total } }: { readonly batch: BatchBody }) {
  const parts = (['done', 'failed', 'cancelled'] as const).filter((name) => counts[name] > 0);
  return (
    <div className="stack-s">
      <div className="progress" aria-hidden="true">
        {parts.map((name) => (
          <i key={name} className={name} style={{ width: `${(counts[name] / total) * 100}%` }} />
        ))}
      </div>
      <span className="muted small">{describeCounts(counts, total)}</span>
    </div>
  );
}

function describeCounts(counts: BatchBody['counts'], total: number): string {
  const further = (['failed', 'running', 'queued', 'cancelled'] as const)
    .filter((name) => counts[name] > 0)
    .map((name) => `${formatCount(counts[name])} ${name}`);
  return [`${formatCount(counts.done)} of ${formatCount(total)} succeeded`, ...further].join(', ');
}
