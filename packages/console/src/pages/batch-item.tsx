import type { BatchLine } from '@winnow/client';
import { useQuery } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { Link } from 'wouter';
import { ResultView } from '../components/data/result-view.tsx';
import { Loading } from '../components/feedback/feedback.tsx';
import { FailedPage } from '../components/layout/failed-page.tsx';
import { PageHead } from '../components/layout/page-head.tsx';
import { admin } from '../lib/admin.ts';
import { useProject } from '../lib/project.tsx';
import { ErrorCard } from './request.tsx';

export function BatchItemPage({ id, index }: { readonly id: string; readonly index: number }) {
  const project = useProject();
  const { data, error } = useQuery({
    queryKey: ['batch-item', project.id, id, index],
    queryFn: async () => (await admin.batchItem(project.id, id, index)).item,
    staleTime: Infinity,
  });
  if (error) return <FailedPage title="Item of a batch" error={error} list="batches" />;
  if (!data) return <Loading what="the item" />;
  const target = data.url === undefined ? `dom_id=${data.dom_id ?? ''}` : `url=${encodeURIComponent(data.url)}`;
  return (
    <div className="stack">
      <PageHead
        title={data.result?.title ?? data.url ?? data.dom_id ?? 'Item of a batch'}
        trail={[
          { label: 'Batches', href: `/p/${project.id}/batches` },
          { label: id, href: `/p/${project.id}/batches/${id}` },
        ]}
        actions={
          <Link className="button" href={`/p/${project.id}/playground?${target}`}>
            <FlaskConical size={15} aria-hidden="true" /> Open in the playground
          </Link>
        }
      />
      <Outcome item={data} />
    </div>
  );
}

function Outcome({ item: { result, metadata, error, url } }: { readonly item: BatchLine }) {
  if (result && metadata) {
    return (
      <section className="card" aria-label="Result">
        <ResultView answer={{ result, metadata }} />
      </section>
    );
  }
  return error ? <ErrorCard error={error} url={url} /> : null;
}
