import { Link } from 'wouter';
import { useProject } from '../../lib/project.tsx';
import { ErrorNote } from '../feedback/error-note.tsx';
import { PageHead } from './page-head.tsx';

interface FailedPageProps {
  readonly title: string;
  readonly error: Error;
  /** The list of the project that has the others. */
  readonly list: 'batches' | 'requests' | 'snapshots';
}

/** In place of something that cannot be read. */
export function FailedPage({ title, error, list }: FailedPageProps) {
  const project = useProject();
  return (
    <div className="stack">
      <PageHead title={title} />
      <ErrorNote error={error} />
      <p>
        <Link href={`/p/${project.id}/${list}`}>All {list}</Link>
      </p>
    </div>
  );
}
