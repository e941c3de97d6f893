import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { ErrorNote } from '../components/feedback/error-note.tsx';
import { Empty, Loading } from '../components/feedback/feedback.tsx';
import { Segments } from '../components/form/field.tsx';
import { PageHead } from '../components/layout/page-head.tsx';
import { DiffRows } from '../components/data/diff-rows.tsx';
import { StoredPage } from '../components/data/stored-page.tsx';
import { admin } from '../lib/admin.ts';
import { formatTime } from '../lib/format.ts';
import { useProject } from '../lib/project.tsx';
import { compareLines } from '../lib/side-by-side.ts';
import { snapshotQuery } from '../lib/site-snapshots.ts';
import { splitLines } from '../lib/split-lines.ts';

const VIEWS = [
  { value: 'text', label: 'Main text' },
  { value: 'source', label: 'Source' },
  { value: 'page', label: 'Pages' },
] as const;

type View = (typeof VIEWS)[number]['value'];

interface Pair {
  readonly left: string;
  readonly right: string;
}

export function Compare({ left, right }: Pair) {
  const [view, setView] = useState<View>('text');
  const project = useProject();
  return (
    <div className="stack">
      <PageHead
        title="Compare snapshots"
        trail={[{ label: 'Snapshots', href: `/p/${project.id}/snapshots` }]}
        actions={<Segments label="Compare" value={view} options={VIEWS} onChange={setView} />}
      />
      <div className="pair">
        <Side domId={left} />
        <Side domId={right} />
      </div>
      {view === 'page' ? (
        <div className="pair">
          <StoredPage domId={left} title="Left page" />
          <StoredPage domId={right} title="Right page" />
        </div>
      ) : (
        <Differences key={view} left={left} right={right} view={view} />
      )}
    </div>
  );
}

function Side({ domId }: { readonly domId: string }) {
  const project = useProject();
  const { data, error } = useQuery(snapshotQuery(project.id, domId));
  if (error) return <ErrorNote error={error} />;
  return (
    <div className="card">
      <Link href={`/p/${project.id}/snapshots/${domId}`}>{data?.final_url ?? domId}</Link>
      <div className="muted small">
        {data && `${formatTime(data.fetched_at)} · ${data.engine} · ${data.status_code}`}
      </div>
    </div>
  );
}

function Differences({ left, right, view }: Pair & { readonly view: 'text' | 'source' }) {
  const project = useProject();
  const { data, error } = useQuery({
    queryKey: ['compare', project.id, left, right, view],
    queryFn: () => Promise.all([readLines(project.id, left, view), readLines(project.id, right, view)]),
    staleTime: Infinity,
  });
  const rows = useMemo(() => data && (compareLines(data[0], data[1]) ?? 'too different'), [data]);
  if (error) return <ErrorNote error={error} />;
  if (rows === undefined) return <Loading what="both snapshots" />;
  if (rows === 'too different')
    return <Empty title="Too different">The snapshots have too little in common to compare.</Empty>;
  if (rows.every((row) => row.kind === 'gap'))
    return <Empty title="No differences">Both snapshots are the same in this view.</Empty>;
  return <DiffRows label="Differences" rows={rows} />;
}

async function readLines(projectId: string, domId: string, view: 'text' | 'source'): Promise<string[]> {
  if (view === 'source') return splitLines((await admin.snapshotHtml(projectId, domId)).html);
  const { result } = await admin.extract(projectId, { extract: { dom_id: domId }, trace: { include_steps: false } });
  return [result.title ?? '', ...result.main_text.split('\n')];
}
