import type { SiteExampleList, SnapshotBody, TemplateTestResponse } from '@winnow/client';
import { useQuery } from '@tanstack/react-query';
import { DiffRows } from '../../components/data/diff-rows.tsx';
import { ErrorNote } from '../../components/feedback/error-note.tsx';
import { Badge, Empty, Loading } from '../../components/feedback/feedback.tsx';
import { admin } from '../../lib/admin.ts';
import { useProject } from '../../lib/project.tsx';
import { compareLines } from '../../lib/side-by-side.ts';
import { inBatches } from '../../lib/site-snapshots.ts';

interface TaughtDifferencesProps {
  readonly list: SiteExampleList;
  readonly snapshots: readonly SnapshotBody[];
}

interface Changed {
  readonly url: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** What the marks change on the stored pages of the site: the main text now and after. */
export function TaughtDifferences({ list, snapshots }: TaughtDifferencesProps) {
  const project = useProject();
  const ids = snapshots.map(({ dom_id: id }) => id);
  const { template, document } = list;
  const { data, error } = useQuery({
    queryKey: ['taught-differences', project.id, document, template?.name, template?.state, ids],
    queryFn: async (): Promise<Changed[]> => {
      const body = (batch: string[]) => ({ project_id: project.id, dom_ids: batch });
      const after = await inBatches(ids, (batch) =>
        admin.previewTemplate({ ...body(batch), document: { ...document } }),
      );
      const live =
        template?.state === 'active'
          ? await inBatches(ids, (batch) => admin.testTemplate(template.name, body(batch)))
          : undefined;
      return snapshots.flatMap(({ dom_id: id, final_url: url }) => {
        const [one, now] = [after, live].map((tests) => tests?.find(({ page }) => page === id));
        if (!one) return [];
        return {
          url,
          before: now ? readLines(now, 'template') : readLines(one, 'generic'),
          after: readLines(one, 'template'),
        };
      });
    },
    staleTime: Infinity,
  });
  if (error) return <ErrorNote error={error} />;
  if (!data) return <Loading what="the differences" />;
  const changed = data.filter(({ before, after }) => before.join('\n') !== after.join('\n'));
  return (
    <section className="stack" aria-label="Differences">
      <h2>
        {changed.length} of {data.length} stored pages change
      </h2>
      {changed.length === 0 && (
        <Empty title="No differences">The marks change none of the stored pages: they are already extracted so.</Empty>
      )}
      {changed.map((page) => (
        <PageDifferences key={page.url} page={page} isOpen={changed.length <= 3} />
      ))}
    </section>
  );
}

function readLines({ fields }: TemplateTestResponse['items'][number], side: 'template' | 'generic'): string[] {
  const text = fields.find(({ field }) => field === 'main_text')?.[side];
  return String(text ?? '').split(/\n+/);
}

function PageDifferences({ page, isOpen }: { readonly page: Changed; readonly isOpen: boolean }) {
  const { url, before, after } = page;
  const rows = compareLines(before, after);
  const count = (lines: readonly string[], others: readonly string[]): number =>
    lines.filter((line) => !others.includes(line)).length;
  return (
    <details className="card" open={isOpen}>
      <summary>
        {url} <Badge tone="good">+{count(after, before)}</Badge> <Badge tone="bad">−{count(before, after)}</Badge> lines
      </summary>
      {rows ? (
        <DiffRows label={`Now and with the marks: ${url}`} rows={rows} />
      ) : (
        'The texts have too little in common.'
      )}
    </details>
  );
}
