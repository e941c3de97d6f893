import type { SnapshotQuery } from '@winnow/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { ErrorNote } from '../components/feedback/error-note.tsx';
import { Empty, Loading } from '../components/feedback/feedback.tsx';
import { Field, TextField } from '../components/form/field.tsx';
import { Form } from '../components/form/form.tsx';
import { LoadMore } from '../components/controls/load-more.tsx';
import { PageHead } from '../components/layout/page-head.tsx';
import { SnapshotRows } from '../components/data/snapshot-rows.tsx';
import { admin } from '../lib/admin.ts';
import { formatAge } from '../lib/format.ts';
import { useProject, useService } from '../lib/project.tsx';

/** Origin of uploaded snapshots. */
const UPLOAD = 'upload';

interface Filter {
  readonly url: string;
  readonly host: string;
  readonly engine: string;
  readonly status: string;
  readonly from: string;
  readonly to: string;
}

const NO_FILTER: Filter = { url: '', host: '', engine: '', status: '', from: '', to: '' };

export function Snapshots() {
  const project = useProject();
  // In the address, so that going back from a snapshot keeps the filter.
  const [search, setSearch] = useSearchParams();
  const filter = readFilter(search);
  const [chosen, setChosen] = useState<string[]>([]);
  const query = useInfiniteQuery({
    queryKey: ['snapshots', project.id, filter],
    queryFn: ({ pageParam }) =>
      admin.snapshots(project.id, { ...toQuery(filter), ...(pageParam && { cursor: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
  });
  const { data, error } = query;
  const age = useService().data?.retention_age_ms;
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  const choose = (domId: string, on: boolean): void =>
    setChosen((before) => [...before.filter((one) => one !== domId), ...(on ? [domId] : [])].slice(-2));
  return (
    <div className="stack">
      <PageHead title="Snapshots" actions={<CompareLink chosen={chosen} />}>
        <p>Captured pages.{age !== undefined && ` Deleted after ${formatAge(age)}.`}</p>
      </PageHead>
      <FilterForm filter={filter} onSearch={(next) => setSearch(writeFilter(next))} />
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

function readFilter(search: URLSearchParams): Filter {
  const read = (name: keyof Filter): string => search.get(name) ?? '';
  return {
    url: read('url'),
    host: read('host'),
    engine: read('engine'),
    status: read('status'),
    from: read('from'),
    to: read('to'),
  };
}

/** Filter fields for the address. */
function writeFilter(filter: Filter): [string, string][] {
  return Object.entries(filter).filter(([, value]) => value !== '');
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

function toQuery(filter: Filter): SnapshotQuery {
  const status = Number(filter.status);
  return {
    ...(filter.url === '' ? {} : { url: filter.url }),
    ...(filter.host === '' ? {} : { host: filter.host }),
    ...(filter.engine === '' ? {} : { engine: filter.engine }),
    ...(filter.status === '' ? {} : { status }),
    ...(filter.from === '' ? {} : { from: new Date(filter.from).toISOString() }),
    ...(filter.to === '' ? {} : { to: new Date(filter.to).toISOString() }),
  };
}

const TEXT_FIELDS = [
  { name: 'url', label: 'URL contains', type: 'search', maxLength: 500 },
  { name: 'host', label: 'Host', type: 'search' },
  { name: 'status', label: 'Status', type: 'number', min: 100, max: 599 },
  { name: 'from', label: 'From', type: 'datetime-local' },
  { name: 'to', label: 'Until', type: 'datetime-local' },
] as const;

interface FilterFormProps {
  readonly filter: Filter;
  readonly onSearch: (filter: Filter) => void;
}

function FilterForm({ filter, onSearch }: FilterFormProps) {
  const service = useService();
  const [draft, setDraft] = useState(filter);
  const applied = JSON.stringify(filter);
  const [seen, setSeen] = useState(applied);
  if (seen !== applied) {
    setSeen(applied);
    setDraft(filter);
  }
  return (
    <search>
      <Form
        className="card filters"
        onSubmit={() => onSearch(draft)}
        actions={
          <div className="row">
            <button className="button primary">Search</button>
            <button
              type="button"
              className="button quiet"
              onClick={() => {
                setDraft(NO_FILTER);
                onSearch(NO_FILTER);
              }}
            >
              Clear
            </button>
          </div>
        }
      >
        {TEXT_FIELDS.map(({ name, ...field }) => (
          <TextField
            key={name}
            {...field}
            value={draft[name]}
            onChange={(value) => setDraft({ ...draft, [name]: value })}
          />
        ))}
        <Field label="Engine">
          {(props) => (
            <select
              {...props}
              className="input"
              value={draft.engine}
              onChange={(event) => setDraft({ ...draft, engine: event.target.value })}
            >
              <option value="">any</option>
              {[...(service.data?.engines.slice(1) ?? []), UPLOAD].map((engine) => (
                <option key={engine}>{engine}</option>
              ))}
            </select>
          )}
        </Field>
      </Form>
    </search>
  );
}
