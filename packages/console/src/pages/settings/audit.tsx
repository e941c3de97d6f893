import { DataTable } from '../../components/data/data-table.tsx';
import { usePages } from '../../components/data/paged-list.tsx';
import { ErrorNote } from '../../components/feedback/error-note.tsx';
import { Empty, Loading } from '../../components/feedback/feedback.tsx';
import { LoadMore } from '../../components/controls/load-more.tsx';
import { admin } from '../../lib/admin.ts';
import { useProjects } from '../../lib/project.tsx';
import { Time } from '../../components/data/time.tsx';

export function AuditSettings() {
  const { data: projects = [] } = useProjects();
  const query = usePages(['audit'], (next) => admin.audit(next));
  const { data, error } = query;
  if (error) return <ErrorNote error={error} />;
  if (!data) return <Loading what="the audit log" />;
  const items = data.pages.flatMap((page) => page.items);
  if (items.length === 0) return <Empty title="Nothing yet" />;
  return (
    <div className="stack">
      <section className="card flush">
        <h2>Recorded changes</h2>
        <DataTable
          label="Audit log"
          rows={items}
          rowKey={({ id }) => id}
          columns={[
            { label: 'When', className: 'nowrap', cell: ({ at }) => <Time iso={at} /> },
            { label: 'Who', cell: ({ actor }) => actor },
            { label: 'What', className: 'mono', cell: ({ action }) => action },
            { label: 'Target', cell: ({ target }) => target ?? '–' },
            {
              label: 'Project',
              cell: (entry) => projects.find(({ id }) => id === entry.project_id)?.name ?? entry.project_id ?? '–',
            },
          ]}
        />
      </section>
      <LoadMore query={query} />
    </div>
  );
}
