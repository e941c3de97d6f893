import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { ErrorNote } from '../components/feedback/error-note.tsx';
import { Empty, Loading } from '../components/feedback/feedback.tsx';
import { TextField } from '../components/form/field.tsx';
import { readFilter, SearchChoice, SearchForm, toListQuery, writeFilter } from '../components/form/search-form.tsx';
import { LoadMore } from '../components/controls/load-more.tsx';
import { PageHead } from '../components/layout/page-head.tsx';
import { SnapshotRows } from '../components/data/snapshot-rows.tsx';
import { admin } from '../lib/admin.ts';
import { formatAge } from '../lib/format.ts';
import { useProject, useService } from '../lib/project.tsx';

/** Origin of uploaded snapshots. */
const UPLOAD = 'upload';

const FILTERS = ['url', 'host', 'engine', 'status', 'from', 'to'] as const;

const TEXT_FIELDS = [
  { name: 'url', label: 'URL contains', type: 'search', maxLength: 500 },
  { name: 'host', label: 'Host', type: 'search' },
  { name: 'status', label: 'Status', type: 'number', min: 100, max: 599 },
  { name: 'from', label: 'From', type: 'datetime-local' },
  { name: 'to', label: 'Until', type: 'datetime-local' },
] as const;

export function Snapshots() {
  const project = useProject();
  // In the address, so that going back from a snapshot keeps the filter.
  const [search, setSearch] = useSearchParams();
  const filter = readFilter(FILTERS, search);
  const [chosen, setChosen] = useState<string[]>([]);
  const query = useInfiniteQuery({
    queryKey: ['snapshots', project.id, filter],
    queryFn: ({ pageParam }) =>
      admin.snapshots(project.id, { ...toListQuery(filter), ...(pageParam && { cursor: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
  });
  const { data, error } = query;
  const service = useService();
  const age = service.data?.retention_age_ms;
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  const choose = (domId: string, on: boolean): void =>
    setChosen((before) => [...before.filter((one) => one !== domId), ...(on ? [domId] : [])].slice(-2));
  return (
    <div className="stack">
      <PageHead title="Snapshots" actions={<CompareLink chosen={chosen} />}>
        <p>Captured pages.{age !== undefined && ` Deleted after ${formatAge(age)}.`}</p>
      </PageHead>
      <SearchForm filter={filter} onSearch={setSearch}>
        {(bind) => (
          <>
            {TEXT_FIELDS.map(({ name, ...field }) => (
              <TextField key={name} {...field} {...bind(name)} />
            ))}
            <SearchChoice
              label="Engine"
              choices={[...(service.data?.engines.slice(1) ?? []), UPLOAD]}
              {...bind('engine')}
            />
          </>
        )}
      </SearchForm>
      {error && <ErrorNote error={error} />}
      <div className="card flush">
        {items.length > 0 && <SnapshotRows items={items} chosen={chosen} onChoose={choose} />}
        {data && items.length === 0 && (
          <Empty title="No snapshots">
            {writeFilter(filter).length === 0
              ? 'They appear with the first capture or extraction.'
              : 'No snapshot matches these filters.'}
          </Empty>
        )}
        {!data && !error && <Loading what="the snapshots" />}
      </div>
      <LoadMore query={query} />
    </div>
  );
}

function CompareLink({ chosen }: { readonly chosen: readonly string[] }) {
  const project = useProject();
  if (chosen.length !== 2) return <span className="muted small">Select two to compare them</span>;
  return (
    <Link className="button" href={`/p/${project.id}/compare/${chosen[0] ?? ''}/${chosen[1] ?? ''}`}>
      Compare the two
    </Link>
  );
}
