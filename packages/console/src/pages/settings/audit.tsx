import { DataTable } from '../../components/data/data-table.tsx';
import { PagedList, usePages } from '../../components/data/paged-list.tsx';
import { admin } from '../../lib/admin.ts';
import { useProjects } from '../../lib/project.tsx';
import { Time } from '../../components/data/time.tsx';

export function AuditSettings() {
  const { data: projects = [] } = useProjects();
  const query = usePages(['audit'], (next) => admin.audit(next));
  return (
    <div className="stack">
      <PagedList query={query} what="recorded changes" empty="They appear as soon as somebody changes something.">
        {(items) => (
          <>
            <h2>Recorded changes</h2>
            <DataTable
              label="Audit log"
              rows={items}
              rowKey={({ id }) => id}
              columns={[
                { label: 'When', className: 'nowrap', cell: ({ at }) => <Time iso={at} /> },
                { label: 'Who', className: 'name', cell: ({ actor }) => actor },
                { label: 'What', className: 'mono', cell: ({ action }) => action },
                { label: 'Target', className: 'name', cell: ({ target }) => target ?? '–' },
                {
                  label: 'Project',
                  className: 'name',
                  cell: (entry) => projects.find(({ id }) => id === entry.project_id)?.name ?? entry.project_id ?? '–',
                },
              ]}
            />
          </>
        )}
      </PagedList>
    </div>
  );
}
