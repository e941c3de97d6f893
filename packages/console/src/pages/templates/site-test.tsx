import type { SnapshotBody, TemplateTestResponse } from '@winnow/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { DataTable } from '../../components/data/data-table.tsx';
import { FactList } from '../../components/data/fact-list.tsx';
import { ErrorNote } from '../../components/feedback/error-note.tsx';
import { Badge, Empty, Loading } from '../../components/feedback/feedback.tsx';
import { TimeChart, type ChartSeries } from '../../components/data/time-chart.tsx';
import { formatPercent } from '../../lib/format.ts';
import { useProject } from '../../lib/project.tsx';
import { inBatches, listSiteSnapshots } from '../../lib/site-snapshots.ts';
import { Time } from '../../components/data/time.tsx';

type PageTest = TemplateTestResponse['items'][number];

interface SiteTestProps {
  readonly hosts: readonly string[];
  readonly queryKey: readonly unknown[];
  readonly call: (projectId: string, domIds: string[]) => Promise<TemplateTestResponse>;
}

interface Tested {
  readonly snapshot: SnapshotBody;
  readonly test: PageTest;
}

/** A template on every stored snapshot of its site: the fields that it fills, over time and by page. */
export function SiteTest({ hosts, queryKey, call }: SiteTestProps) {
  const project = useProject();
  const { data, error } = useQuery({
    queryKey: [...queryKey, project.id],
    queryFn: async () => {
      const snapshots = await listSiteSnapshots(project.id, hosts);
      const ids = snapshots.map(({ dom_id: id }) => id);
      const tests = await inBatches(ids, (batch) => call(project.id, batch));
      return snapshots.flatMap((snapshot): Tested[] => {
        const test = tests.find(({ page }) => page === snapshot.dom_id);
        return test ? [{ snapshot, test }] : [];
      });
    },
  });
  if (error) return <ErrorNote error={error} />;
  if (!data) return <Loading what="the results on the stored snapshots" />;
  if (data.length === 0) return <Empty title="No snapshots">This project has no stored page of the site.</Empty>;
  return (
    <div className="stack">
      <FillRates tested={data.filter(({ test }) => test.matches)} />
      <PageTable tested={data} />
    </div>
  );
}

/** Pages that the template does not match say nothing about its fields. */
function FillRates({ tested }: { readonly tested: readonly Tested[] }) {
  if (tested.length === 0) return <Empty title="No match">The template matches none of the stored pages.</Empty>;
  const names = [...new Set(tested.flatMap(({ test }) => test.fields.map(({ field }) => field)))];
  const rates = names.map((name) => ({ name, rate: rateOf(tested, name) }));
  return (
    <div className="columns">
      <section className="card">
        <h2>Fill rates on {tested.length} matching snapshots</h2>
        <ul className="bar-list">
          {rates.map(({ name, rate }) => (
            <li key={name}>
              <span>{name}</span>
              <span className="muted">{formatPercent(rate)}</span>
              <span className="bar" aria-hidden="true">
                <i style={{ width: `${rate * 100}%` }} />
              </span>
            </li>
          ))}
        </ul>
      </section>
      <section className="card">
        <h2>Over time</h2>
        <FillChart tested={tested} />
      </section>
    </div>
  );
}

/** Most points of the chart: neighbouring snapshots are combined. */
const MAX_POINTS = 12;

/** Agreement and fill rate of snapshots in the order in which they were captured. */
function FillChart({ tested }: { readonly tested: readonly Tested[] }) {
  const sorted = tested.toSorted((a, b) => a.snapshot.fetched_at.localeCompare(b.snapshot.fetched_at));
  const size = Math.ceil(sorted.length / MAX_POINTS);
  const groups = Array.from({ length: Math.ceil(sorted.length / size) }, (_, index) =>
    sorted.slice(index * size, (index + 1) * size),
  );
  const times = groups.map((group) => Date.parse(group[0]?.snapshot.fetched_at ?? '') / 1000);
  const series: ChartSeries[] = [
    { name: 'Fields filled', values: groups.map(fillShare), color: 1 },
    {
      name: 'Agreement with the generic extraction',
      values: groups.map((group) => mean(group.map(({ test }) => test.agreement))),
      color: 3,
    },
  ];
  return <TimeChart label="Fill rates over time" times={times} series={series} format={formatPercent} />;
}

function fillShare(group: readonly Tested[]): number {
  return mean(group.flatMap(({ test }) => test.fields.map(({ template }) => (isFilled(template) ? 1 : 0))));
}

function rateOf(tested: readonly Tested[], name: string): number {
  return mean(tested.map(({ test }) => (isFilled(test.fields.find(({ field }) => field === name)?.template) ? 1 : 0)));
}

function isFilled(value: unknown): boolean {
  return value !== null && value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function PageTable({ tested }: { readonly tested: readonly Tested[] }) {
  const project = useProject();
  return (
    <section className="card flush">
      <h2>Page by page</h2>
      <DataTable
        label="Page by page"
        rows={tested}
        rowKey={({ snapshot }) => snapshot.dom_id}
        columns={[
          {
            label: 'Page',
            bare: true,
            className: 'wide',
            cell: ({ snapshot }) => (
              <Link href={`/p/${project.id}/snapshots/${snapshot.dom_id}`}>{snapshot.final_url}</Link>
            ),
          },
          { label: 'Captured', className: 'nowrap', cell: ({ snapshot }) => <Time iso={snapshot.fetched_at} /> },
          {
            label: 'Verdict',
            cell: ({ test }) => (
              <>
                <Badge tone={test.matches ? (test.ok ? 'good' : 'bad') : undefined}>
                  {test.matches ? (test.ok ? 'passed' : 'failed') : 'no match'}
                </Badge>
                <div className="muted small">{test.reason}</div>
              </>
            ),
          },
          { label: 'Agreement', className: 'number', cell: ({ test }) => formatPercent(test.agreement) },
          {
            label: 'Values',
            className: 'wide',
            cell: ({ test }) => (
              <details>
                <summary>{test.fields.filter(({ template }) => isFilled(template)).length} filled</summary>
                <FactList facts={test.fields.map((field) => [field.field, <Value field={field} />])} />
              </details>
            ),
          },
        ]}
      />
    </section>
  );
}

const MAX_VALUE = 200;

function Value({ field }: { readonly field: PageTest['fields'][number] }) {
  const text = Array.isArray(field.template) ? field.template.join(', ') : String(field.template ?? '–');
  return (
    <>
      {text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text}
      {!field.same && field.generic !== null && (
        <div className="muted small">generic: {field.generic.slice(0, MAX_VALUE)}</div>
      )}
    </>
  );
}
