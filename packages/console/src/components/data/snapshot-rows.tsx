import type { SnapshotBody } from '@winnow/client';
import { Image } from 'lucide-react';
import { Link } from 'wouter';
import { formatSize } from '../../lib/format.ts';
import { useProject } from '../../lib/project.tsx';
import { DataTable } from './data-table.tsx';
import { Badge } from '../feedback/feedback.tsx';
import { Time } from './time.tsx';

interface SnapshotRowsProps {
  readonly items: readonly SnapshotBody[];
  /** Ids of the selected snapshots, for comparison. */
  readonly chosen: readonly string[];
  readonly onChoose: (domId: string, chosen: boolean) => void;
}

export function SnapshotRows({ items, chosen, onChoose }: SnapshotRowsProps) {
  const project = useProject();
  return (
    <DataTable
      label="Snapshots"
      rows={items}
      rowKey={(row) => row.dom_id}
      columns={[
        {
          label: 'Compare',
          hideHead: true,
          cell: ({ dom_id }) => (
            <input
              type="checkbox"
              aria-label={`Compare ${dom_id}`}
              checked={chosen.includes(dom_id)}
              onChange={(event) => onChoose(dom_id, event.target.checked)}
            />
          ),
        },
        {
          label: 'Page',
          bare: true,
          className: 'wide',
          cell: ({ dom_id, final_url, title, screenshot }) => (
            <>
              <Link href={`/p/${project.id}/snapshots/${dom_id}`}>
                <bdi>{title ?? final_url}</bdi>
              </Link>
              {title !== null && <div className="muted small clamped">{final_url}</div>}
              <div className="muted small mono">
                {dom_id}
                {screenshot !== null && (
                  <>
                    {' '}
                    <Image size={13} role="img" aria-label="with a screenshot" />
                  </>
                )}
              </div>
            </>
          ),
        },
        { label: 'Captured', className: 'nowrap', cell: ({ fetched_at }) => <Time iso={fetched_at} /> },
        { label: 'Engine', cell: ({ engine }) => engine },
        { label: 'Status', cell: ({ status_code }) => <StatusBadge status={status_code} /> },
        { label: 'Size', className: 'number', cell: ({ bytes }) => formatSize(bytes) },
      ]}
    />
  );
}

export function StatusBadge({ status }: { readonly status: number }) {
  return <Badge tone={status >= 200 && status < 300 ? 'good' : 'bad'}>{status}</Badge>;
}
