import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { PagedList, usePages } from '../components/data/paged-list.tsx';
import { TextField } from '../components/form/field.tsx';
import { readFilter, SearchChoice, SearchForm, toListQuery, writeFilter } from '../components/form/search-form.tsx';
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
  const query = usePages(['snapshots', project.id, filter], (next) =>
    admin.snapshots(project.id, { ...toListQuery(filter), ...next }),
  );
  const service = useService();
  const age = service.data?.retention_age_ms;
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
      <PagedList
        query={query}
        what="snapshots"
        empty={
          writeFilter(filter).length === 0
            ? 'They appear with the first capture or extraction.'
            : 'No snapshot matches these filters.'
        }
      >
        {(items) => <SnapshotRows items={items} chosen={chosen} onChoose={choose} />}
      </PagedList>
    </div>
  );
}

function CompareLink({ chosen }: { readonly chosen: readonly string[] }) {
  const project = useProject();
  // Ids begin with their time: the older one is on the left.
  const [older = '', newer = ''] = chosen.toSorted();
  if (chosen.length !== 2) return <span className="muted small">Select two to compare them</span>;
  return (
    <Link className="button" href={`/p/${project.id}/compare/${older}/${newer}`}>
      Compare the two
    </Link>
  );
}
