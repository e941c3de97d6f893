import type { SiteList as SiteListBody } from '@winnow/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { DataTable } from '../../components/data/data-table.tsx';
import { ErrorNote } from '../../components/feedback/error-note.tsx';
import { admin } from '../../lib/admin.ts';
import { formatCount } from '../../lib/format.ts';
import { useProject } from '../../lib/project.tsx';
import { Time } from '../../components/data/time.tsx';

/** The sites of the project whose pages help to extract others. */
export function SiteList({ domain }: { readonly domain: string }) {
  const project = useProject();
  const { data, error } = useQuery({
    queryKey: ['sites', project.id, domain],
    queryFn: () => admin.sites(project.id, domain === '' ? {} : { domain }),
  });
  if (error) return <ErrorNote error={error} />;
  if (!data || data.items.length === 0) return null;
  return (
    <section className="stack-s">
      <h2>Sites with evidence</h2>
      <p className="muted small">
        From the third page on, what the pages of a site have in common helps to tell its content from the rest.
      </p>
      <SiteTable items={data.items} />
    </section>
  );
}

/** Opens the page on which the content of a site is marked. */
export function TeachLink({ host, children }: { readonly host: string; readonly children: string }) {
  const project = useProject();
  return <Link href={`/p/${project.id}/sites/${encodeURIComponent(host)}`}>{children}</Link>;
}

export function SiteTable({ items }: Pick<SiteListBody, 'items'>) {
  return (
    <div className="card flush">
      <DataTable
        label="Sites with evidence"
        rows={items}
        rowKey={({ name }) => name}
        columns={[
          {
            label: 'Pages of',
            bare: true,
            className: 'wide',
            cell: ({ name, host, shape }) => (
              <>
                {host}
                {shape}
                <div className="muted small mono">{name}</div>
              </>
            ),
          },
          { label: 'Pages', className: 'number', cell: ({ pages }) => formatCount(pages) },
          { label: 'Version', className: 'number', cell: ({ name }) => name.split(':v')[1] },
          { label: 'Last page', className: 'nowrap', cell: ({ seen_at: at }) => <Time iso={at} /> },
          { label: 'Teach', cell: ({ host }) => <TeachLink host={host}>Mark its content</TeachLink> },
        ]}
      />
    </div>
  );
}
