import { projectPath } from '@winnow/client';
import { basePath } from '../../lib/base-path.ts';
import { useProject } from '../../lib/project.tsx';

export interface StoredPageProps {
  readonly domId: string;
  readonly title: string;
  /** Outlines the extracted content. */
  readonly outline?: boolean;
  /** More nodes to outline, by name of the mark. */
  readonly marks?: Readonly<Record<string, readonly number[]>>;
}

/** Limit for one mark: addresses have a maximum length, and a selector may match every node. */
const MAX_MARKED_NODES = 500;

/** Address of the preview of a stored page, which has its own policy. */
export function storedPageUrl(
  projectId: string,
  { domId, outline, marks }: StoredPageProps,
  mode: 'view' | 'pick',
): string {
  const query = new URLSearchParams();
  if (mode === 'pick') query.set('mode', 'pick');
  if (outline === true) query.set('outline', 'main');
  const written = Object.entries(marks ?? {}).flatMap(([name, nodes]) =>
    nodes.length === 0 ? [] : [`${name}:${nodes.slice(0, MAX_MARKED_NODES).join('.')}`],
  );
  if (written.length > 0) query.set('marks', written.join(';'));
  const text = query.toString();
  return `${basePath}${projectPath(projectId, 'snapshots', domId, 'page')}${text === '' ? '' : `?${text}`}`;
}

/**
 * A stored page without scripts, forms, pop-ups and navigation: the empty `sandbox` also gives it a separate origin.
 */
export function StoredPage(props: StoredPageProps) {
  const project = useProject();
  return <iframe className="frame" title={props.title} sandbox="" src={storedPageUrl(project.id, props, 'view')} />;
}
