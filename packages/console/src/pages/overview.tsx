import type { MetricRange, MetricsResponse } from '@winnow/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { CodeBlock } from '../components/data/code-block.tsx';
import { ErrorNote } from '../components/feedback/error-note.tsx';
import { Loading } from '../components/feedback/feedback.tsx';
import { Segments } from '../components/form/field.tsx';
import { PageHead } from '../components/layout/page-head.tsx';
import { TimeChart } from '../components/data/time-chart.tsx';
import { admin } from '../lib/admin.ts';
import { KEY_PLACE, writeCurl } from '../lib/examples.ts';
import { formatSize, formatCount, formatMs, formatPercent, toLocalField } from '../lib/format.ts';
import { useProject, useService } from '../lib/project.tsx';

const RANGES = [
  { value: '1h', label: 'Hour' },
  { value: '24h', label: 'Day' },
  { value: '7d', label: 'Week' },
  { value: '30d', label: 'Month' },
] as const;

const REFRESH_MS = 30_000;

export function Overview() {
  const project = useProject();
  const [range, setRange] = useState<MetricRange>('24h');
  const { data, error } = useQuery({
    queryKey: ['metrics', project.id, range],
    queryFn: () => admin.metrics({ range, project_id: project.id }),
    refetchInterval: REFRESH_MS,
    // Keeps figures of another range, never of another project.
    placeholderData: (before, query) => (query?.queryKey[1] === project.id ? before : undefined),
  });
  return (
    <div className="stack">
      <PageHead
        title="Overview"
        actions={<Segments label="Time range" value={range} options={RANGES} onChange={setRange} />}
      >
        <p>
          Requests, batches and errors of project “<bdi>{project.name}</bdi>”.
        </p>
      </PageHead>
      {error && <ErrorNote error={error} />}
      {data ? <Figures data={data} /> : !error && <Loading what="the figures" />}
    </div>
  );
}

/** Addresses of lists of the same period. */
interface Lists {
  readonly requests: (filter?: Readonly<Record<string, string>>) => string;
  readonly batches: string;
}

function listPages(projectId: string, { times }: MetricsResponse): Lists {
  const from = toLocalField(new Date((times[0] ?? 0) * 1000));
  return {
    requests: (filter = {}) => `/p/${projectId}/requests?${new URLSearchParams({ ...filter, from }).toString()}`,
    batches: `/p/${projectId}/batches`,
  };
}

function Figures({ data }: { readonly data: MetricsResponse }) {
  const { id: projectId } = useProject();
  const { totals, storage } = data;
  const lists = listPages(projectId, data);
  return (
    <>
      <div className="figures">
        <Tile name="Requests" value={formatCount(totals.requests)} href={lists.requests()} />
        <Tile
          name="Errors"
          value={formatCount(totals.errors)}
          note={describeShare(totals.errors, totals.requests)}
          href={lists.requests({ outcome: 'failed' })}
        />
        <Tile
          name="Pages of batches"
          value={formatCount(totals.items)}
          note={describeShare(totals.items_failed, totals.items, ' failed')}
          href={lists.batches}
        />
        <Tile name="Median latency" value={formatMs(totals.p50_ms)} />
        <Tile name="99th percentile" value={formatMs(totals.p99_ms)} />
        <Tile name="Snapshots" value={formatCount(storage.snapshots)} />
        <Tile
          name={storage.quota_bytes === null ? 'Stored' : `Stored of ${formatSize(storage.quota_bytes)}`}
          value={formatSize(storage.used_bytes)}
        />
      </div>
      {totals.requests === 0 && totals.items === 0 && <FirstSteps projectId={projectId} />}
      <Charts data={data} lists={lists} />
    </>
  );
}

/** Shown until the project has requests. */
function FirstSteps({ projectId }: { readonly projectId: string }) {
  const service = useService();
  const target = { baseUrl: service.data?.base_url ?? window.location.origin, apiKey: KEY_PLACE, projectId };
  return (
    <section className="card stack">
      <h2>No requests in this period</h2>
      <ol className="steps">
        <li className="next">
          <div>
            <Link href={`/p/${projectId}/playground`}>Try a page in the playground</Link>. No key needed.
          </div>
        </li>
        <li>
          <div>
            <Link href="/settings/keys">Create an API key</Link> for your program.
          </div>
        </li>
        <li>
          <div className="stack-s">
            <span>Send your first request:</span>
            <CodeBlock
              wrap
              what="first request"
              text={writeCurl(target, '/v1/extract', { extract: { url: 'https://example.com/' } })}
            />
          </div>
        </li>
      </ol>
    </section>
  );
}

function describeShare(part: number, whole: number, what = ''): string | undefined {
  return whole === 0 ? undefined : `${formatPercent(part / whole)}${what}`;
}

interface TileProps {
  readonly name: string;
  readonly value: string;
  readonly note?: string | undefined;
  /** The list of what is counted. */
  readonly href?: string;
}

function Tile({ name, value, note, href }: TileProps) {
  return (
    <div className="figure-tile">
      <div className="name">{href === undefined ? name : <Link href={href}>{name}</Link>}</div>
      <div className="value">{value}</div>
      {note !== undefined && <div className="muted small">{note}</div>}
    </div>
  );
}

function Charts({ data, lists }: { readonly data: MetricsResponse; readonly lists: Lists }) {
  const { times, latency_ms: latency, browsers } = data;
  return (
    <div className="columns">
      <Chart
        title="Requests"
        times={times}
        kind="bars"
        format={formatCount}
        series={[
          { name: 'All', values: data.requests, color: 1 },
          { name: 'Failed', values: data.errors, color: 2 },
        ]}
      />
      <Chart
        title="Latency"
        times={times}
        format={formatMs}
        series={[
          { name: 'Median', values: latency.p50, color: 1 },
          { name: '90th', values: latency.p90, color: 3 },
          { name: '99th', values: latency.p99, color: 2 },
        ]}
      />
      <Card title="Errors by code and stage">
        <Shares
          none="No errors in this period"
          bad
          rows={data.errors_by_code.map(({ code, stage, count }) => ({
            name: `${code} · ${stage}`,
            count,
            href: lists.requests({ outcome: 'failed', code }),
          }))}
        />
      </Card>
      <Chart
        title="Pages of batches and crawls"
        times={times}
        kind="bars"
        format={formatCount}
        series={[
          { name: 'Succeeded', values: data.items.done, color: 1 },
          { name: 'Failed', values: data.items.failed, color: 2 },
        ]}
      />
      <Chart
        title="Confidence and warnings"
        times={times}
        format={formatPercent}
        most={1}
        series={[
          { name: 'Mean confidence', values: data.confidence, color: 1 },
          { name: 'Pages with warnings', values: data.doubtful, color: 2 },
        ]}
      />
      <Card title="Warnings by code">
        <Shares
          none="No warnings in this period"
          rows={data.warnings_by_code.map(({ code, count }) => ({
            name: code,
            count,
            href: lists.requests({ warning: code }),
          }))}
        />
      </Card>
      <Card title="Engines">
        <Shares
          none="No pages fetched in this period"
          rows={Object.entries(data.engines).map(([name, values]) => ({
            name,
            count: sum(values),
            href: lists.requests({ engine: name }),
          }))}
        />
      </Card>
      <Chart
        title="Snapshot storage"
        times={times}
        format={formatSize}
        series={[{ name: 'Stored', values: data.storage.stored_bytes_over_time, color: 4 }]}
      />
      {browsers && (
        <Chart
          title="Browser pool"
          times={times}
          format={formatCount}
          series={[
            { name: 'Running', values: browsers.running, color: 1 },
            { name: 'Busy', values: browsers.busy, color: 2 },
            { name: 'Waiting', values: browsers.waiting, color: 3 },
          ]}
        />
      )}
    </div>
  );
}

function Chart({ title, ...chart }: Omit<Parameters<typeof TimeChart>[0], 'label'> & { readonly title: string }) {
  return (
    <Card title={title}>
      <TimeChart label={`${title} over time`} {...chart} />
    </Card>
  );
}

function Card({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <section className="card">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

interface SharesProps {
  readonly rows: readonly { readonly name: string; readonly count: number; readonly href: string }[];
  readonly none: string;
  readonly bad?: boolean;
}

function Shares({ rows, none, bad = false }: SharesProps) {
  const total = sum(rows.map(({ count }) => count));
  if (total === 0) return <div className="chart-empty">{none}</div>;
  const sorted = rows.toSorted((a, b) => b.count - a.count);
  return (
    <ul className="bar-list">
      {sorted.map(({ name, count, href }) => (
        <li key={name}>
          <Link href={href}>{name}</Link>
          <span className="muted">
            {formatCount(count)} · {formatPercent(count / total)}
          </span>
          <span className="bar" aria-hidden="true">
            <i className={bad ? 'bad' : ''} style={{ width: `${(count / total) * 100}%` }} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function sum(values: readonly (number | null)[]): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0);
}
