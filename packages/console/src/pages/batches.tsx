import type { BatchBody, BatchState } from '@winnow/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'wouter';
import { DataTable } from '../components/data/data-table.tsx';
import { ErrorNote } from '../components/feedback/error-note.tsx';
import { Empty, Loading } from '../components/feedback/feedback.tsx';
import { Segments } from '../components/form/field.tsx';
import { LoadMore } from '../components/controls/load-more.tsx';
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
  const query = useInfiniteQuery({
    queryKey: ['batches', project.id, state],
    queryFn: ({ pageParam }) =>
      admin.batches(project.id, { ...(state === '' ? {} : { state }), ...(pageParam && { cursor: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ items }) => items.some((batch) => batch.state === 'running')) ? PROGRESS_MS : false,
  });
  const { data, error } = query;
  const items = data?.pages.flatMap((page) => page.items) ?? [];
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
      {error && <ErrorNote error={error} />}
      <div className="card flush">
        {items.length > 0 && <BatchTable items={items} />}
        {data && items.length === 0 && (
          <Empty title="No batches">
            {state === '' ? (
              <>
                Create one with <code>POST /v1/batches</code>, or crawl a site with <code>POST /v1/crawls</code>.
              </>
            ) : (
              'No batch is in this state.'
            )}
          </Empty>
        )}
        {!data && !error && <Loading what="batches" />}
      </div>
      <LoadMore query={query} />
    </div>
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
