import type { ServiceHealth } from '@winnow/client';
import { useQuery } from '@tanstack/react-query';
import { FactList } from '../../components/data/fact-list.tsx';
import { Time } from '../../components/data/time.tsx';
import { DataTable } from '../../components/data/data-table.tsx';
import { ErrorNote } from '../../components/feedback/error-note.tsx';
import { Badge, Loading, Note } from '../../components/feedback/feedback.tsx';
import { admin } from '../../lib/admin.ts';
import { formatCount, formatMs, formatPercent, formatSize } from '../../lib/format.ts';

const REFRESH_MS = 5000;

/** From here on a figure is marked. */
const SCARCE = 0.1;

/** The state of the node that answers. */
export function HealthSettings() {
  const { data, error } = useQuery({
    queryKey: ['health'],
    queryFn: () => admin.health(),
    refetchInterval: REFRESH_MS,
  });
  return (
    <div className="stack">
      {error && <ErrorNote error={error} />}
      {data ? <Health health={data} /> : !error && <Loading what="the state of the service" />}
    </div>
  );
}

function Health({ health }: { readonly health: ServiceHealth }) {
  const { queue, browsers, workers, memory, disk, checks } = health;
  const failed = Object.values(checks).filter(({ ok }) => !ok).length;
  return (
    <>
      <Note tone={failed === 0 ? 'good' : 'bad'}>
        {failed === 0
          ? 'Every check passes.'
          : `${failed === 1 ? '1 check fails' : `${failed} checks fail`}; see below.`}{' '}
        The figures are of the process that answers, which started <Time iso={health.started_at} />.
      </Note>
      <div className="columns">
        <Part
          title="Queue"
          facts={[
            ['Running', formatCount(queue.running)],
            ['Waiting for a slot', formatCount(queue.waiting)],
            ['Waiting for their site', formatCount(queue.waiting_for_sites)],
            ['Expected wait', formatMs(queue.expected_wait_ms)],
          ]}
        />
        <Part
          title="Browsers"
          facts={[
            ['Running', formatCount(browsers.running)],
            ['Captures in them', formatCount(browsers.busy)],
            ['Captures that wait', formatCount(browsers.waiting)],
            ['Started so far', formatCount(browsers.started)],
            ['Ended for memory or CPU', formatCount(browsers.killed_renderers)],
          ]}
        />
        <Part
          title="Worker processes"
          facts={[
            ['Running', formatCount(workers.running)],
            ['Pages that wait', formatCount(workers.waiting)],
          ]}
        />
        <Part
          title="Memory and disk"
          facts={[
            ['Memory of this process', formatSize(memory.process_bytes)],
            ['Memory available', <Share part={memory.available_bytes} whole={memory.total_bytes} />],
            [
              'Disk available',
              disk === null ? 'cannot be read' : <Share part={disk.available_bytes} whole={disk.total_bytes} />,
            ],
          ]}
        />
      </div>
      <section className="card flush">
        <h2>Checks</h2>
        <DataTable
          label="Checks"
          rows={Object.entries(checks)}
          rowKey={([name]) => name}
          columns={[
            { label: 'Check', cell: ([name]) => name },
            {
              label: 'State',
              cell: ([, { ok }]) => <Badge tone={ok ? 'good' : 'bad'}>{ok ? 'passes' : 'fails'}</Badge>,
            },
            { label: 'Detail', className: 'wide', cell: ([, { detail }]) => detail },
            { label: 'Time', className: 'number', cell: ([, { elapsed_ms: ms }]) => formatMs(ms) },
          ]}
        />
      </section>
    </>
  );
}

function Part({ title, facts }: { readonly title: string; readonly facts: Parameters<typeof FactList>[0]['facts'] }) {
  return (
    <section className="card" aria-label={title}>
      <h2>{title}</h2>
      <FactList facts={facts} />
    </section>
  );
}

function Share({ part, whole }: { readonly part: number; readonly whole: number }) {
  const text = `${formatSize(part)} of ${formatSize(whole)} (${formatPercent(part / whole)})`;
  return part / whole < SCARCE ? <Badge tone="bad">{text}</Badge> : text;
}
