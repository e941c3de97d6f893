import type { BatchBody, BatchItemBody, BatchItemQuery } from '@winnow/client';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Ban, Download, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { CopyableId } from '../components/controls/copy-button.tsx';
import { DataTable } from '../components/data/data-table.tsx';
import { DOUBT_COLUMNS } from '../components/data/doubts.tsx';
import { ErrorNote } from '../components/feedback/error-note.tsx';
import { Badge, Empty, Loading } from '../components/feedback/feedback.tsx';
import { Segments } from '../components/form/field.tsx';
import { LoadMore } from '../components/controls/load-more.tsx';
import { Confirm } from '../components/controls/modal.tsx';
import { PageHead } from '../components/layout/page-head.tsx';
import { admin } from '../lib/admin.ts';
import { formatTime } from '../lib/format.ts';
import { useProject } from '../lib/project.tsx';
import { PROGRESS_MS } from './batches.tsx';
import { BatchBadge, BatchProgress } from './batches/batch-progress.tsx';

type Outcome = NonNullable<BatchItemQuery['outcome']>;

export function BatchPage({ id }: { readonly id: string }) {
  const project = useProject();
  const { data, error } = useQuery({
    queryKey: ['batch', project.id, id],
    queryFn: async () => (await admin.batch(project.id, id)).batch,
    refetchInterval: ({ state: { data: batch } }) => (batch !== undefined && isUnderWay(batch) ? PROGRESS_MS : false),
  });
  if (!data && error) {
    return (
      <div className="stack">
        <PageHead title="Batch" />
        <ErrorNote error={error} />
        <p>
          <Link href={`/p/${project.id}/batches`}>All batches</Link>
        </p>
      </div>
    );
  }
  return data ? <Found batch={data} /> : <Loading what="the batch" />;
}

/** A cancelled batch still finishes its running items. */
function isUnderWay({ state, counts }: BatchBody): boolean {
  return state === 'running' || counts.running > 0;
}

function Found({ batch }: { readonly batch: BatchBody }) {
  const project = useProject();
  return (
    <div className="stack">
      <PageHead
        title="Batch"
        actions={
          <>
            <a className="button" href={admin.batchResultsUrl(project.id, batch.id)} download={`${batch.id}.ndjson`}>
              <Download size={15} aria-hidden="true" /> Download results
            </a>
            {batch.state === 'running' && <CancelButton batch={batch} />}
            <DeleteButton batch={batch} />
          </>
        }
      />
      <Facts batch={batch} />
      <Results batch={batch} />
    </div>
  );
}

function Facts({ batch }: { readonly batch: BatchBody }) {
  const { webhook } = batch;
  return (
    <div className="card">
      <dl className="facts">
        <dt>Id</dt>
        <dd>
          <CopyableId id={batch.id} what="batch id" />
        </dd>
        <dt>State</dt>
        <dd>
          <BatchBadge state={batch.state} />
        </dd>
        <dt>Progress</dt>
        <dd>
          <BatchProgress batch={batch} />
        </dd>
        <dt>Created</dt>
        <dd>{formatTime(batch.created_at)}</dd>
        {batch.finished_at !== null && (
          <>
            <dt>Ended</dt>
            <dd>{formatTime(batch.finished_at)}</dd>
          </>
        )}
        {batch.crawl !== null && (
          <>
            <dt>Crawl from</dt>
            <dd>{batch.crawl.url}</dd>
            <dt>Links left out</dt>
            <dd>{describeSkipped(batch.crawl.skipped)}</dd>
          </>
        )}
        <dt>Options</dt>
        <dd>
          {batch.respect_robots ? 'robots.txt respected' : 'robots.txt ignored'}
          {batch.formats.length > 0 && `; formats: ${batch.formats.join(', ')}`}
        </dd>
        {webhook && (
          <>
            <dt>Webhook</dt>
            <dd>
              {webhook.url} <Badge>{webhook.state}</Badge>
              {webhook.attempts > 0 && ` ${webhook.attempts} ${webhook.attempts === 1 ? 'attempt' : 'attempts'}`}
            </dd>
          </>
        )}
      </dl>
    </div>
  );
}

const OUTCOMES = [
  { value: '', label: 'All' },
  { value: 'succeeded', label: 'Succeeded' },
  { value: 'doubtful', label: 'With warnings' },
  { value: 'failed', label: 'Failed' },
] as const satisfies readonly { value: Outcome | ''; label: string }[];

function Results({ batch }: { readonly batch: BatchBody }) {
  const project = useProject();
  const [outcome, setOutcome] = useState<Outcome | ''>('');
  const { done, failed } = batch.counts;
  const query = useInfiniteQuery({
    // Reads the first results of a running batch again as they arrive.
    queryKey: ['batch-items', project.id, batch.id, outcome, isUnderWay(batch) ? done + failed : 'ended'],
    queryFn: ({ pageParam }) =>
      admin.batchItems(project.id, batch.id, { after: pageParam, ...(outcome === '' ? {} : { outcome }) }),
    initialPageParam: -1,
    getNextPageParam: (page) => page.next_after,
    placeholderData: (before, previous) => (previous?.queryKey[3] === outcome ? before : undefined),
  });
  const { data, error } = query;
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <div className="row-between">
        <h2>Results</h2>
        <Segments label="Outcome" value={outcome} options={OUTCOMES} onChange={setOutcome} />
      </div>
      {error && <ErrorNote error={error} />}
      <div className="card flush">
        {items.length > 0 && <ResultTable items={items} />}
        {data && items.length === 0 && (
          <Empty title="No results">
            {done + failed === 0 ? 'They appear as items finish.' : 'No finished item has this outcome.'}
          </Empty>
        )}
        {!data && !error && <Loading what="results" />}
      </div>
      <LoadMore query={query} />
    </>
  );
}

function ResultTable({ items }: { readonly items: readonly BatchItemBody[] }) {
  const project = useProject();
  return (
    <DataTable
      label="Results"
      rows={items}
      rowKey={({ index }) => String(index)}
      columns={[
        { label: 'Index', className: 'number', cell: ({ index }) => index },
        {
          label: 'Page',
          bare: true,
          className: 'wide',
          cell: ({ title, url, dom_id: id }) => (
            <>
              {title !== null && <bdi>{title}</bdi>}
              <div className="muted small">{url ?? id}</div>
            </>
          ),
        },
        {
          label: 'Outcome',
          cell: ({ error }) => (
            <>
              <Badge tone={error === null ? 'good' : 'bad'}>{error === null ? 'succeeded' : error.code}</Badge>
              {error !== null && <div className="muted small">{error.message}</div>}
            </>
          ),
        },
        ...DOUBT_COLUMNS,
        { label: 'Engine', className: 'nowrap', cell: ({ engine }) => engine ?? '–' },
        { label: 'Template', className: 'mono', cell: ({ template_id: id }) => id ?? '–' },
        {
          label: 'Snapshot',
          cell: ({ dom_id: id }) =>
            id === null ? '–' : <Link href={`/p/${project.id}/snapshots/${id}`}>Open the snapshot</Link>,
        },
      ]}
    />
  );
}

function CancelButton({ batch }: { readonly batch: BatchBody }) {
  const project = useProject();
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => admin.cancelBatch(project.id, batch.id),
    onSuccess: ({ batch: cancelled }) => {
      client.setQueryData(['batch', project.id, batch.id], cancelled);
      void client.invalidateQueries({ queryKey: ['batches', project.id] });
      setAsking(false);
    },
  });
  return (
    <>
      <button type="button" className="button" onClick={() => setAsking(true)}>
        <Ban size={15} aria-hidden="true" /> Cancel batch
      </button>
      <Confirm
        open={asking}
        title="Cancel this batch?"
        action="Cancel batch"
        busy={isPending}
        onConfirm={() => mutate()}
        onClose={() => setAsking(false)}
      >
        <div className="stack-s">
          <p>Queued items do not start. Running items finish, and results stay available.</p>
          {error && <ErrorNote error={error} />}
        </div>
      </Confirm>
    </>
  );
}

function DeleteButton({ batch }: { readonly batch: BatchBody }) {
  const project = useProject();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [asking, setAsking] = useState(false);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => admin.deleteBatch(project.id, batch.id),
    onSuccess: () => {
      client.removeQueries({ queryKey: ['batches', project.id] });
      navigate(`/p/${project.id}/batches`);
    },
  });
  return (
    <>
      <button type="button" className="button danger" onClick={() => setAsking(true)}>
        <Trash2 size={15} aria-hidden="true" /> Delete
      </button>
      <Confirm
        open={asking}
        title="Delete this batch?"
        action="Delete"
        busy={isPending}
        onConfirm={() => mutate()}
        onClose={() => setAsking(false)}
      >
        <div className="stack-s">
          <p>{batch.state === 'running' ? 'It stops, and its' : 'Its'} results are removed. This cannot be undone.</p>
          {error && <ErrorNote error={error} />}
        </div>
      </Confirm>
    </>
  );
}

function describeSkipped(skipped: Readonly<Record<string, number>>): string {
  const parts = Object.entries(skipped).flatMap(([reason, count]) => (count === 0 ? [] : [`${reason} ${count}`]));
  return parts.join(', ') || 'none';
}
