import type { SnapshotBody } from '@winnow/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { DownloadButton } from '../components/controls/download-button.tsx';
import { CopyableId } from '../components/controls/copy-button.tsx';
import { ErrorNote } from '../components/feedback/error-note.tsx';
import { Loading } from '../components/feedback/feedback.tsx';
import { CheckField } from '../components/form/field.tsx';
import { DeleteButton } from '../components/layout/delete-button.tsx';
import { FailedPage } from '../components/layout/failed-page.tsx';
import { PageHead } from '../components/layout/page-head.tsx';
import { FactList } from '../components/data/fact-list.tsx';
import { screenshotTabs } from '../components/data/screenshot-tabs.tsx';
import { ResultView } from '../components/data/result-view.tsx';
import { StatusBadge } from '../components/data/snapshot-rows.tsx';
import { SourceView } from '../components/data/source-view.tsx';
import { StoredPage } from '../components/data/stored-page.tsx';
import { TabSet } from '../components/controls/tab-set.tsx';
import { admin } from '../lib/admin.ts';
import { basePath } from '../lib/base-path.ts';
import { formatSize, formatTime, hostOf } from '../lib/format.ts';
import { useProject } from '../lib/project.tsx';
import { htmlQuery, snapshotQuery } from '../lib/site-snapshots.ts';
import { Failure } from './playground/failure.tsx';

export function Snapshot({ domId }: { readonly domId: string }) {
  const project = useProject();
  const { data, error } = useQuery(snapshotQuery(project.id, domId));
  if (error) return <FailedPage title="Snapshot" error={error} list="snapshots" />;
  if (!data) return <Loading what="the snapshot" />;
  return <SnapshotDetails snapshot={data} />;
}

function SnapshotDetails({ snapshot }: { readonly snapshot: SnapshotBody }) {
  const project = useProject();
  const client = useQueryClient();
  return (
    <div className="stack">
      <PageHead
        title={`Snapshot of ${hostOf(snapshot.final_url)}`}
        trail={[{ label: 'Snapshots', href: `/p/${project.id}/snapshots` }]}
        actions={
          <>
            <DownloadButton
              label="HTML"
              name={`${snapshot.dom_id}.html`}
              type="text/html"
              read={async () => client.fetchQuery(htmlQuery(project.id, snapshot.dom_id))}
            />
            <Link className="button" href={`/p/${project.id}/requests?dom_id=${snapshot.dom_id}`}>
              Its requests
            </Link>
            <Link className="button" href={`/p/${project.id}/playground?dom_id=${snapshot.dom_id}`}>
              Open in the playground
            </Link>
            <Link
              className="button"
              href={`/p/${project.id}/sites/${encodeURIComponent(hostOf(snapshot.final_url))}?page=${snapshot.dom_id}`}
            >
              Teach this site
            </Link>
            <DeleteButton
              list="snapshots"
              what="snapshot"
              run={() => admin.deleteSnapshot(project.id, snapshot.dom_id)}
            >
              Its id stops working.
            </DeleteButton>
          </>
        }
      />
      <Facts snapshot={snapshot} />
      <TabSet
        label="Snapshot"
        tabs={[
          { value: 'page', label: 'Page', content: () => <Preview domId={snapshot.dom_id} /> },
          ...screenshotTabs(project.id, snapshot.dom_id, snapshot.screenshot),
          { value: 'source', label: 'Source', content: () => <Source domId={snapshot.dom_id} /> },
          { value: 'extraction', label: 'Extraction', content: () => <Extraction domId={snapshot.dom_id} /> },
        ]}
      />
    </div>
  );
}

function Facts({ snapshot }: { readonly snapshot: SnapshotBody }) {
  const { url, final_url: finalUrl, mhtml } = snapshot;
  const contentType = `${snapshot.content_type ?? 'unknown'}${snapshot.filtered ? ', scripts and styles removed' : ''}`;
  const captured = (
    <>
      {formatTime(snapshot.fetched_at)} by {snapshot.engine}, <StatusBadge status={snapshot.status_code} />
    </>
  );
  const download = mhtml && (
    <>
      <a href={`${basePath}${mhtml.url}`} download>
        Download
      </a>{' '}
      ({formatSize(mhtml.bytes)})
    </>
  );
  return (
    <div className="card">
      <FactList
        facts={[
          ['Id', <CopyableId id={snapshot.dom_id} what="snapshot id" />],
          ['Title', snapshot.title],
          ['URL', <PageLink url={finalUrl} />],
          ['Requested URL', url !== finalUrl && url],
          ['Captured', captured],
          ['Content type', contentType],
          ['Size', `${formatSize(snapshot.bytes)}, ${formatSize(snapshot.stored_bytes)} stored`],
          ['MHTML', download],
        ]}
      />
    </div>
  );
}

/** To the site, which learns nothing of the console. Uploads may have addresses of other schemes. */
function PageLink({ url }: { readonly url: string }) {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return url;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer nofollow">
      {url} <ExternalLink size={12} role="img" aria-label="opens the site in a new tab" />
    </a>
  );
}

function Preview({ domId }: { readonly domId: string }) {
  const [outline, setOutline] = useState(false);
  return (
    <div className="stack-s">
      <div className="row-between">
        <CheckField label="Outline the main content" checked={outline} onChange={setOutline} />
        <span className="muted small">Safe preview: scripts, network and links are disabled.</span>
      </div>
      <StoredPage key={String(outline)} domId={domId} outline={outline} title="Stored page" />
    </div>
  );
}

function Source({ domId }: { readonly domId: string }) {
  const project = useProject();
  const { data, error } = useQuery(htmlQuery(project.id, domId));
  if (error) return <ErrorNote error={error} />;
  return data === undefined ? <Loading what="the source" /> : <SourceView html={data} />;
}

function Extraction({ domId }: { readonly domId: string }) {
  const project = useProject();
  const { data, error } = useQuery({
    queryKey: ['extraction', project.id, domId],
    queryFn: () =>
      admin.extract(project.id, {
        extract: { dom_id: domId, formats: ['markdown'] },
        trace: { include_steps: true },
      }),
    staleTime: Infinity,
  });
  if (error) return <Failure error={error} />;
  return data === undefined ? <Loading what="the extraction" /> : <ResultView answer={data} />;
}
