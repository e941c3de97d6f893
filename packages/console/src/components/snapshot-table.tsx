import type { SnapshotBody } from '@winnow/client';
import { Link } from 'wouter';
import { formatBytes, formatTime } from '../lib/format.ts';
import { useProject } from '../lib/project.tsx';
import { Badge } from './feedback.tsx';

interface SnapshotTableProps {
  readonly items: readonly SnapshotBody[];
  /** Ids of those that are ticked, to be compared. */
  readonly chosen: readonly string[];
  readonly onChoose: (domId: string, chosen: boolean) => void;
}

export function SnapshotTable({ items, chosen, onChoose }: SnapshotTableProps) {
  const project = useProject();
  return (
    <div className="table-wrap" tabIndex={0} role="group" aria-label="Snapshots">
      <table className="table cards">
        <thead>
          <tr>
            <th>
              <span className="visually-hidden">Compare</span>
            </th>
            <th>Page</th>
            <th>Captured</th>
            <th>Engine</th>
            <th>Status</th>
            <th className="number">Size</th>
          </tr>
        </thead>
        <tbody>
          {items.map((row) => (
            <tr key={row.dom_id}>
              <td data-label="Compare">
                <input
                  type="checkbox"
                  aria-label={`Compare ${row.dom_id}`}
                  checked={chosen.includes(row.dom_id)}
                  onChange={(event) => onChoose(row.dom_id, event.target.checked)}
                />
              </td>
              <td data-label="" className="wide">
                <Link href={`/p/${project.id}/snapshots/${row.dom_id}`}>{row.final_url}</Link>
                <div className="muted small mono">{row.dom_id}</div>
              </td>
              <td data-label="Captured" className="nowrap">
                {formatTime(row.fetched_at)}
              </td>
              <td data-label="Engine">{row.engine}</td>
              <td data-label="Status">
                <StatusBadge status={row.status_code} />
              </td>
              <td data-label="Size" className="number">
                {formatBytes(row.bytes)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function StatusBadge({ status }: { readonly status: number }) {
  return <Badge tone={status >= 200 && status < 300 ? 'good' : 'bad'}>{status}</Badge>;
}
