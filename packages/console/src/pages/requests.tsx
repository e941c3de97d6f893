import type { LoggedRequestBody, LoggedRequestList, LoggedRequestQuery } from '@winnow/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { Link, useSearchParams } from 'wouter';
import { DataTable } from '../components/data/data-table.tsx';
import { DOUBT_COLUMNS } from '../components/data/doubts.tsx';
import { ErrorNote } from '../components/feedback/error-note.tsx';
import { Empty, Loading, Note } from '../components/feedback/feedback.tsx';
import { LoadMore } from '../components/controls/load-more.tsx';
import { PageHead } from '../components/layout/page-head.tsx';
import { admin } from '../lib/admin.ts';
import { formatAge, formatCount, formatMs, formatTime } from '../lib/format.ts';
import { useProject } from '../lib/project.tsx';
import { useKeyNames } from '../lib/key-names.ts';
import { OutcomeBadge } from './requests/outcome-badge.tsx';
import { readFilter, RequestFilterForm, writeFilter } from './requests/request-filter.tsx';
import type { RequestFilter } from './requests/request-filter.tsx';

export function Requests() {
  const project = useProject();
  // In the address, so that going back from a request keeps the filter.
  const [search, setSearch] = useSearchParams();
  const filter = readFilter(search);
  const query = useInfiniteQuery({
    queryKey: ['requests', project.id, filter],
    queryFn: ({ pageParam }) =>
      admin.requests(project.id, { ...toQuery(filter), ...(pageParam && { cursor: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
  });
  const { data, error, isFetching, refetch } = query;
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  const recording = data?.pages[0]?.recording;
  return (
    <div className="stack">
      <PageHead
        title="Requests"
        actions={
          <button type="button" className="button" disabled={isFetching} onClick={() => void refetch()}>
            <RefreshCw size={15} aria-hidden="true" /> Refresh
          </button>
        }
      >
        <p>{recording ? describeRecording(recording) : 'API and playground requests of this project.'}</p>
      </PageHead>
      <RequestFilterForm filter={filter} onSearch={(next) => setSearch(writeFilter(next))} />
      {error && <ErrorNote error={error} />}
      {recording?.mode === 'off' && (
        <Note>
          Requests are not recorded. Set <code>WINNOW_REQUEST_LOG=metadata</code> on the server to record them.
        </Note>
      )}
      <div className="card flush">
        {items.length > 0 && <RequestTable items={items} />}
        {data && items.length === 0 && (
          <Empty title="No requests">
            {writeFilter(filter).length === 0
              ? 'They appear about a second after they are answered.'
              : 'No request matches these filters.'}
          </Empty>
        )}
        {!data && !error && <Loading what="requests" />}
      </div>
      <LoadMore query={query} />
    </div>
  );
}

function describeRecording({ mode, max_age_ms: age, max_rows: rows }: LoggedRequestList['recording']): string {
  if (mode === 'off') return 'API and playground requests of this project.';
  return `API and playground requests. Kept for ${formatAge(age)}, at most ${formatCount(rows)} per project.`;
}

function toQuery(filter: RequestFilter): LoggedRequestQuery {
  const { from, to, ...texts } = filter;
  const given = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== ''));
  return {
    ...(given as LoggedRequestQuery),
    ...(from === '' ? {} : { from: new Date(from).toISOString() }),
    ...(to === '' ? {} : { to: new Date(to).toISOString() }),
  };
}

function RequestTable({ items }: { readonly items: readonly LoggedRequestBody[] }) {
  const project = useProject();
  const nameOfKey = useKeyNames();
  return (
    <DataTable
      label="Requests"
      rows={items}
      rowKey={({ id }) => id}
      columns={[
        {
          label: 'Request',
          bare: true,
          className: 'wide',
          cell: ({ id, request_id, url, dom_id, endpoint }) => (
            <>
              <Link href={`/p/${project.id}/requests/${id}`}>{url ?? dom_id ?? endpoint}</Link>
              <div className="muted small mono">{request_id}</div>
            </>
          ),
        },
        { label: 'Outcome', cell: ({ status, code }) => <OutcomeBadge status={status} code={code} /> },
        ...DOUBT_COLUMNS,
        { label: 'Endpoint', className: 'nowrap mono', cell: ({ method, endpoint }) => `${method} ${endpoint}` },
        { label: 'Key', cell: (request) => <bdi>{nameOfKey(request)}</bdi> },
        { label: 'Engine', className: 'nowrap', cell: ({ engine }) => engine ?? '–' },
        { label: 'Duration', className: 'number', cell: ({ elapsed_ms }) => formatMs(elapsed_ms) },
        { label: 'Time', className: 'nowrap', cell: ({ at }) => formatTime(at) },
      ]}
    />
  );
}
