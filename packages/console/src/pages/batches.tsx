import type { BatchBody, BatchState } from '@winnow/client';
import { Link, useSearchParams } from 'wouter';
import { DataTable } from '../components/data/data-table.tsx';
import { PagedList, usePages } from '../components/data/paged-list.tsx';
import { Segments } from '../components/form/field.tsx';
import { PageHead } from '../components/layout/page-head.tsx';
import { admin } from '../lib/admin.ts';
import { formatTime } from '../lib/format.ts';
import { useProject } from '../lib/project.tsx';
import { BatchBadge, BatchProgress } from './batches/batch-progress.tsx';

const STATES = [
  { value: '', label: 'All' },
  { value: 'running', label: 'Running' },
  { value: 'completed', label: 'Completed' },
  { value: 'cancelled', label: 'Cancelled' },
] as const satisfies readonly { value: BatchState | ''; label: string }[];

/** Refresh interval of running batches. */
export const PROGRESS_MS = 2000;

export function Batches() {
  const project = useProject();
  const [search, setSearch] = useSearchParams();
  const state = STATES.find(({ value }) => value === search.get('state'))?.value ?? '';
  const query = usePages(
    ['batches', project.id, state],
    (next) => admin.batches(project.id, { ...(state === '' ? {} : { state }), ...next }),
    (pages) => pages.some(({ items }) => items.some((batch) => batch.state === 'running')) && PROGRESS_MS,
  );
  return (
    <div className="stack">
      <PageHead
        title="Batches"
        actions={
          <Segments
            label="State"
            value={state}
            options={STATES}
            onChange={(next) => setSearch(next === '' ? {} : { state: next })}
          />
        }
      >
        <p>Many pages in one request, extracted in the background.</p>
      </PageHead>
      <PagedList query={query} what="batches" empty={state === '' ? <HowToCreate /> : 'No batch is in this state.'}>
        {(items) => <BatchTable items={items} />}
      </PagedList>
    </div>
  );
}

function HowToCreate() {
  return (
    <>
      Create one with <code>POST /v1/batches</code>, or crawl a site with <code>POST /v1/crawls</code>.
    </>
  );
}

function BatchTable({ items }: { readonly items: readonly BatchBody[] }) {
  const project = useProject();
  return (
    <DataTable
      label="Batches"
      rows={items}
      rowKey={({ id }) => id}
      columns={[
        {
          label: 'Batch',
          bare: true,
          className: 'wide mono',
          cell: ({ id }) => <Link href={`/p/${project.id}/batches/${id}`}>{id}</Link>,
        },
        { label: 'Kind', cell: ({ kind }) => kind },
        { label: 'State', cell: ({ state }) => <BatchBadge state={state} /> },
        { label: 'Progress', cell: (batch) => <BatchProgress batch={batch} /> },
        { label: 'Webhook', cell: ({ webhook }) => webhook?.state ?? '–' },
        { label: 'Created', className: 'nowrap', cell: ({ created_at }) => formatTime(created_at) },
        { label: 'Ended', className: 'nowrap', cell: ({ finished_at }) => formatTime(finished_at) },
      ]}
    />
  );
}
