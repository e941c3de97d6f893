import { WinnowApiError } from '@winnow/client';
import { Link } from 'wouter';
import { Badge } from '../../components/feedback/feedback.tsx';
import { ErrorNote } from '../../components/feedback/error-note.tsx';
import { TraceWaterfall } from '../../components/data/trace-waterfall.tsx';
import { ADVICE } from '../../lib/advice.ts';
import { useProject } from '../../lib/project.tsx';

export function Failure({ error }: { readonly error: unknown }) {
  const project = useProject();
  if (!(error instanceof WinnowApiError)) return <ErrorNote error={error} />;
  const advice = ADVICE[error.code];
  return (
    <div className="stack">
      <ErrorNote error={error} />
      <div className="row">
        <Badge tone="bad">{error.code}</Badge>
        <Badge>stage {error.stage}</Badge>
        <Badge>HTTP {error.status}</Badge>
        {error.upstreamStatusCode !== undefined && <Badge>the site answered {error.upstreamStatusCode}</Badge>}
      </div>
      {advice !== undefined && <p>{advice}</p>}
      {error.domId !== undefined && (
        <p>
          The captured page is kept as <Link href={`/p/${project.id}/snapshots/${error.domId}`}>{error.domId}</Link>.
        </p>
      )}
      {error.trace !== undefined && error.trace.length > 0 && (
        <section>
          <h3>Trace</h3>
          <TraceWaterfall steps={error.trace} />
        </section>
      )}
    </div>
  );
}
