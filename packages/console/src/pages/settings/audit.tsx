import { useInfiniteQuery } from '@tanstack/react-query';
import { ErrorNote } from '../../components/error-note.tsx';
import { Empty, Loading } from '../../components/feedback.tsx';
import { admin } from '../../lib/admin.ts';
import { formatTime } from '../../lib/format.ts';
import { useProjects } from '../../lib/project.tsx';

export function AuditSettings() {
  const { data: projects = [] } = useProjects();
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery({
    queryKey: ['audit'],
    queryFn: ({ pageParam }) => admin.audit(pageParam === '' ? {} : { cursor: pageParam }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
  });
  if (error) return <ErrorNote error={error} />;
  if (!data) return <Loading what="the audit log" />;
  const items = data.pages.flatMap((page) => page.items);
  if (items.length === 0) return <Empty title="Nothing yet" />;
  return (
    <div className="stack">
      <section className="card flush">
        <h2>What was done, and by whom</h2>
        <div className="table-wrap" tabIndex={0} role="group" aria-label="Audit log">
          <table className="table cards">
            <thead>
              <tr>
                <th>When</th>
                <th>Who</th>
                <th>What</th>
                <th>To what</th>
                <th>Project</th>
              </tr>
            </thead>
            <tbody>
              {items.map((entry) => (
                <tr key={entry.id}>
                  <td data-label="When" className="nowrap">
                    {formatTime(entry.at)}
                  </td>
                  <td data-label="Who">{entry.actor}</td>
                  <td data-label="What" className="mono">
                    {entry.action}
                  </td>
                  <td data-label="To what">{entry.target ?? '–'}</td>
                  <td data-label="Project">
                    {projects.find(({ id }) => id === entry.project_id)?.name ?? entry.project_id ?? '–'}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
      {hasNextPage && (
        <div>
          <button type="button" className="button" disabled={isFetching} onClick={() => void fetchNextPage()}>
            Load more
          </button>
        </div>
      )}
    </div>
  );
}
