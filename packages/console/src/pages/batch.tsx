import type { BatchBody, BatchItemBody, BatchItemQuery } from '@winnow/client';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Ban, Download, RotateCw } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Button } from '../components/controls/button.tsx';
import { CopyableId } from '../components/controls/copy-button.tsx';
import { DataTable } from '../components/data/data-table.tsx';
import { DOUBT_COLUMN } from '../components/data/doubts.tsx';
import { FactList } from '../components/data/fact-list.tsx';
import { PagedList } from '../components/data/paged-list.tsx';
import { ErrorNote } from '../components/feedback/error-note.tsx';
import { Badge, Loading } from '../components/feedback/feedback.tsx';
import { notify } from '../components/feedback/toasts.tsx';
import { Segments } from '../components/form/field.tsx';
import { AskingButton } from '../components/controls/modal.tsx';
import { DeleteButton } from '../components/layout/delete-button.tsx';
import { FailedPage } from '../components/layout/failed-page.tsx';
import { PageHead } from '../components/layout/page-head.tsx';
import { admin } from '../lib/admin.ts';
import { formatCount, formatTime } from '../lib/format.ts';
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
  if (!data && error) return <FailedPage title="Batch" error={error} list="batches" />;
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
        title={batch.kind === 'crawl' ? 'Crawl' : 'Batch'}
        trail={[{ label: 'Batches', href: `/p/${project.id}/batches` }]}
        actions={
          <>
            <a className="button" href={admin.batchResultsUrl(project.id, batch.id)} download={`${batch.id}.ndjson`}>
              <Download size={15} aria-hidden="true" /> Download results
            </a>
            {!isUnderWay(batch) && batch.counts.failed > 0 && <RetryButton batch={batch} />}
            {batch.state === 'running' && <CancelButton batch={batch} />}
            <DeleteButton list="batches" what="batch" run={() => admin.deleteBatch(project.id, batch.id)}>
              {batch.state === 'running' ? 'It stops, and its' : 'Its'} results are removed.
            </DeleteButton>
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
  const robots = batch.respect_robots ? 'robots.txt respected' : 'robots.txt ignored';
  const formats = batch.formats.length > 0 ? `; formats: ${batch.formats.join(', ')}` : '';
  return (
    <div className="card">
      <FactList
        facts={[
          ['Id', <CopyableId id={batch.id} what="batch id" />],
          ['State', <BatchBadge state={batch.state} />],
          ['Progress', <BatchProgress batch={batch} />],
          ['Created', formatTime(batch.created_at)],
          ['Ended', batch.finished_at !== null && formatTime(batch.finished_at)],
          ['Crawl from', batch.crawl?.url],
          ['Links left out', batch.crawl && describeCounts(batch.crawl.skipped)],
          ['Changes', batch.crawl?.changes && describeCounts(batch.crawl.changes)],
          ['Options', robots + formats],
          ['Webhook', webhook && <Webhook webhook={webhook} />],
        ]}
      />
    </div>
  );
}

function Webhook({ webhook }: { readonly webhook: NonNullable<BatchBody['webhook']> }) {
  const { url, state, attempts } = webhook;
  return (
    <>
      {url} <Badge>{state}</Badge>
      {attempts > 0 && ` ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`}
    </>
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
  return (
    <>
      <div className="row-between">
        <h2>Results</h2>
        <Segments label="Outcome" value={outcome} options={OUTCOMES} onChange={setOutcome} />
      </div>
      <PagedList
        query={query}
        what="results"
        empty={done + failed === 0 ? 'They appear as items finish.' : 'No finished item has this outcome.'}
      >
        {(items) => <ResultTable batchId={batch.id} items={items} />}
      </PagedList>
    </>
  );
}

function ResultTable({ batchId, items }: { readonly batchId: string; readonly items: readonly BatchItemBody[] }) {
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
          cell: ({ index, title, url, dom_id: id }) => (
            <>
              <Link href={`/p/${project.id}/batches/${batchId}/items/${index}`}>
                <bdi>{title ?? url ?? id}</bdi>
              </Link>
              {title !== null && <div className="muted small clamped">{url ?? id}</div>}
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
        DOUBT_COLUMN,
        { label: 'Engine', className: 'nowrap', cell: ({ engine }) => engine ?? '–' },
      ]}
    />
  );
}

/** The failed items become a batch of their own, a crawl without results another crawl; this one stays as it is. */
function RetryButton({ batch }: { readonly batch: BatchBody }) {
  const project = useProject();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => admin.retryBatch(project.id, batch.id),
    onSuccess: ({ batch: created }) => {
      notify(
        created.kind === 'crawl'
          ? 'The crawl has begun again'
          : `A batch of the ${formatCount(created.total)} that failed has begun`,
      );
      void client.invalidateQueries({ queryKey: ['batches', project.id] });
      navigate(`/p/${project.id}/batches/${created.id}`);
    },
  });
  return (
    <>
      {error && <ErrorNote error={error} />}
      <Button look="primary" icon={RotateCw} label="Retry failed" disabled={isPending} onClick={() => mutate()} />
    </>
  );
}

function CancelButton({ batch }: { readonly batch: BatchBody }) {
  const project = useProject();
  const client = useQueryClient();
  return (
    <AskingButton
      icon={Ban}
      label="Cancel batch"
      title="Cancel this batch?"
      action="Cancel batch"
      done="The batch is cancelled"
      run={() => admin.cancelBatch(project.id, batch.id)}
      onDone={({ batch: cancelled }) => {
        client.setQueryData(['batch', project.id, batch.id], cancelled);
        void client.invalidateQueries({ queryKey: ['batches', project.id] });
      }}
    >
      <p>Queued items do not start. Running items finish, and results stay available.</p>
    </AskingButton>
  );
}

function describeCounts(skipped: Readonly<Record<string, number>>): string {
  const parts = Object.entries(skipped).flatMap(([reason, count]) => (count === 0 ? [] : [`${reason} ${count}`]));
  return parts.join(', ') || 'none';
}
