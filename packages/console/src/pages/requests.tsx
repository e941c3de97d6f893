import type { KeyBody, LoggedRequestBody, LoggedRequestList } from '@winnow/client';
import { ERROR_CODES } from '@winnow/contract/errors';
import { DOUBT_CODES } from '@winnow/contract/warning-codes';
import { RefreshCw } from 'lucide-react';
import { Link, useSearchParams } from 'wouter';
import { Button } from '../components/controls/button.tsx';
import { DataTable } from '../components/data/data-table.tsx';
import { DOUBT_COLUMN } from '../components/data/doubts.tsx';
import { PagedList, usePages } from '../components/data/paged-list.tsx';
import { Note } from '../components/feedback/feedback.tsx';
import { TextField } from '../components/form/field.tsx';
import { readFilter, SearchChoice, SearchForm, toListQuery, writeFilter } from '../components/form/search-form.tsx';
import { PageHead } from '../components/layout/page-head.tsx';
import { admin } from '../lib/admin.ts';
import { formatAge, formatCount, formatMs, formatPercent } from '../lib/format.ts';
import { useProject, useService } from '../lib/project.tsx';
import { useKeyNames, useKeys } from '../lib/key-names.ts';
import { OutcomeBadge } from './requests/outcome-badge.tsx';
import { Time } from '../components/data/time.tsx';

const FILTERS = [
  'request_id',
  'host',
  'dom_id',
  'outcome',
  'code',
  'warning',
  'max_confidence',
  'engine',
  'endpoint',
  'key_id',
  'from',
  'to',
] as const;
const OUTCOMES = ['succeeded', 'doubtful', 'failed'] as const;
const ENDPOINTS = ['/v1/extract', '/v1/dom/dump', '/v1/batches', '/v1/crawls'] as const;
const CONFIDENCES = [0.9, 0.7, 0.5, 0.3].map((share) => ({
  value: String(share),
  label: `at most ${formatPercent(share)}`,
}));

export function Requests() {
  const project = useProject();
  // In the address, so that going back from a request keeps the filter.
  const [search, setSearch] = useSearchParams();
  const filter = readFilter(FILTERS, search);
  const keys = useKeys();
  const service = useService();
  const query = usePages(['requests', project.id, filter], (next) =>
    admin.requests(project.id, { ...toListQuery(filter), ...next }),
  );
  const { data, isFetching, refetch } = query;
  const recording = data?.pages[0]?.recording;
  return (
    <div className="stack">
      <PageHead
        title="Requests"
        actions={<Button icon={RefreshCw} label="Refresh" disabled={isFetching} onClick={() => void refetch()} />}
      >
        <p>{recording ? describeRecording(recording) : 'API and playground requests of this project.'}</p>
      </PageHead>
      <SearchForm filter={filter} onSearch={setSearch}>
        {(bind) => (
          <>
            <TextField label="Request id" type="search" placeholder="req_…" {...bind('request_id')} />
            <TextField label="Host" type="search" placeholder="example.com" {...bind('host')} />
            <TextField label="Snapshot id" type="search" placeholder="dom_…" {...bind('dom_id')} />
            <SearchChoice label="Outcome" choices={OUTCOMES} {...bind('outcome')} />
            <SearchChoice label="Error code" choices={ERROR_CODES} {...bind('code')} />
            <SearchChoice label="Warning" choices={DOUBT_CODES} {...bind('warning')} />
            <SearchChoice label="Confidence" choices={CONFIDENCES} {...bind('max_confidence')} />
            <SearchChoice label="Engine" choices={service.data?.engines.slice(1) ?? []} {...bind('engine')} />
            <SearchChoice label="Endpoint" choices={ENDPOINTS} {...bind('endpoint')} />
            <SearchChoice label="Key" choices={listKeys(keys.data ?? [])} {...bind('key_id')} />
            <TextField label="From" type="datetime-local" {...bind('from')} />
            <TextField label="Until" type="datetime-local" {...bind('to')} />
          </>
        )}
      </SearchForm>
      <PagedList
        query={query}
        what="requests"
        note={
          recording?.mode === 'off' && (
            <Note>
              Requests are not recorded. Set <code>WINNOW_REQUEST_LOG=metadata</code> on the server to record them.
            </Note>
          )
        }
        empty={
          writeFilter(filter).length === 0
            ? 'They appear about a second after they are answered.'
            : 'No request matches these filters.'
        }
      >
        {(items) => <RequestTable items={items} />}
      </PagedList>
    </div>
  );
}

/** Of two keys with one name each has the start of its key, too. */
function listKeys(keys: readonly KeyBody[]): { value: string; label: string }[] {
  return keys.map(({ id, name, prefix }) => ({
    value: id,
    label: keys.filter((one) => one.name === name).length > 1 ? `${name} (${prefix}…)` : name,
  }));
}

function describeRecording({ mode, max_age_ms: age, max_rows: rows }: LoggedRequestList['recording']): string {
  if (mode === 'off') return 'API and playground requests of this project.';
  return `API and playground requests. Kept for ${formatAge(age)}, at most ${formatCount(rows)} per project.`;
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
        {
          label: 'Outcome and engine',
          cell: ({ status, code, engine }) => (
            <>
              <OutcomeBadge status={status} code={code} />
              <div className="muted small">{engine ?? '–'}</div>
            </>
          ),
        },
        DOUBT_COLUMN,
        {
          label: 'Endpoint and key',
          cell: (request) => (
            <>
              <span className="mono">{`${request.method} ${request.endpoint}`}</span>
              <div className="muted small">
                <bdi>{nameOfKey(request)}</bdi>
              </div>
            </>
          ),
        },
        {
          label: 'Time',
          className: 'nowrap',
          cell: ({ at, elapsed_ms }) => (
            <>
              <Time iso={at} />
              <div className="muted small">{formatMs(elapsed_ms)}</div>
            </>
          ),
        },
      ]}
    />
  );
}
