import { projectPath } from '@winnow/client';
import { basePath } from '../../lib/base-path.ts';
import { useProject } from '../../lib/project.tsx';

export interface StoredPageProps {
  readonly domId: string;
  readonly title: string;
  /** Outlines the content that the extraction picked. */
  readonly outline?: boolean;
  /** Further nodes to outline, by name of the mark: numbers of nodes. */
  readonly marks?: Readonly<Record<string, readonly number[]>>;
}

/** Nodes that are outlined for one mark, at most: an address has its bounds, and a selector may hit them all. */
const MAX_MARKED_NODES = 500;

/** Address of a stored page as it can be drawn: stripped, and under a policy of its own. */
export function storedPageUrl(
  projectId: string,
  { domId, outline, marks }: StoredPageProps,
  mode: 'view' | 'pick',
): string {
  const query = new URLSearchParams();
  if (mode === 'pick') query.set('mode', 'pick');
  if (outline === true) query.set('outline', 'main');
  const written = Object.entries(marks ?? {}).map(
    ([name, nodes]) => `${name}:${nodes.slice(0, MAX_MARKED_NODES).join('.')}`,
  );
  if (written.length > 0) query.set('marks', written.join(';'));
  const text = query.toString();
  return `${basePath}${projectPath(projectId, 'snapshots', domId, 'page')}${text === '' ? '' : `?${text}`}`;
}

/**
 * A stored page, drawn where it can do nothing: the empty `sandbox` takes scripts, forms, pop-ups and
 * navigation from it and makes its origin a stranger's.
 */
export function StoredPage(props: StoredPageProps) {
  const project = useProject();
  return <iframe className="frame" title={props.title} sandbox="" src={storedPageUrl(project.id, props, 'view')} />;
}
