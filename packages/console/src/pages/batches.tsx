import type { BatchBody, BatchState } from '@winnow/client';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { Button } from '../components/controls/button.tsx';
import { Modal } from '../components/controls/modal.tsx';
import { DataTable } from '../components/data/data-table.tsx';
import { PagedList, usePages } from '../components/data/paged-list.tsx';
import { Segments } from '../components/form/field.tsx';
import { PageHead } from '../components/layout/page-head.tsx';
import { admin } from '../lib/admin.ts';
import { useProject } from '../lib/project.tsx';
import { NewBatch } from './batches/new-batch.tsx';
import { BatchBadge, BatchProgress } from './batches/batch-progress.tsx';
import { Time } from '../components/data/time.tsx';

const STATES = [
  { value: '', label: 'All' },
  { value: 'running', label: 'Running' },
  { value: 'completed', label: 'Completed' },
  { value: 'cancelled', label: 'Cancelled' },
] as const satisfies readonly { value: BatchState | ''; label: string }[];

export const PROGRESS_MS = 2000;

export function Batches() {
  const project = useProject();
  const [search, setSearch] = useSearchParams();
  const [creating, setCreating] = useState(false);
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
          <>
            <Segments
              label="State"
              value={state}
              options={STATES}
              onChange={(next) => setSearch(next === '' ? {} : { state: next })}
            />
            <Button look="primary" icon={Plus} label="New batch" onClick={() => setCreating(true)} />
          </>
        }
      >
        <p>Many pages in one request, extracted in the background.</p>
      </PageHead>
      <PagedList query={query} what="batches" empty={state === '' ? <HowToCreate /> : 'No batch is in this state.'}>
        {(items) => <BatchTable items={items} />}
      </PagedList>
      <Modal open={creating} onClose={() => setCreating(false)} title="New batch">
        <NewBatch onClose={() => setCreating(false)} />
      </Modal>
    </div>
  );
}

function HowToCreate() {
  return (
    <>
      Paste addresses into a new one, create one with <code>POST /v1/batches</code>, or crawl a site with{' '}
      <code>POST /v1/crawls</code>.
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
          className: 'wide',
          cell: ({ id, kind }) => (
            <>
              <Link className="mono" href={`/p/${project.id}/batches/${id}`}>
                {id}
              </Link>
              <div className="muted small">{kind}</div>
            </>
          ),
        },
        { label: 'State', cell: ({ state }) => <BatchBadge state={state} /> },
        { label: 'Progress', cell: (batch) => <BatchProgress batch={batch} /> },
        { label: 'Webhook', cell: ({ webhook }) => webhook?.state ?? '–' },
        { label: 'Created', className: 'nowrap', cell: ({ created_at }) => <Time iso={created_at} /> },
        { label: 'Ended', className: 'nowrap', cell: ({ finished_at }) => <Time iso={finished_at} /> },
      ]}
    />
  );
}
