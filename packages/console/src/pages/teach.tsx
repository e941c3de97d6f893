import type { SiteExampleList, SiteOutline, SnapshotBody } from '@winnow/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Check, Undo2 } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { Button } from '../components/controls/button.tsx';
import { AskingButton } from '../components/controls/modal.tsx';
import { ErrorNote } from '../components/feedback/error-note.tsx';
import { Badge, Empty, Loading, Note } from '../components/feedback/feedback.tsx';
import { ChoiceField } from '../components/form/field.tsx';
import { PageHead } from '../components/layout/page-head.tsx';
import { admin } from '../lib/admin.ts';
import { useProject } from '../lib/project.tsx';
import { useSession } from '../lib/session.tsx';
import { htmlQuery, listSiteSnapshots } from '../lib/site-snapshots.ts';
import { parseStored } from '../lib/stored-document.ts';
import { BlockList, isContent, type Block } from './teach/block-list.tsx';
import { MarkedPage } from './teach/marked-page.tsx';
import { TaughtDifferences } from './teach/taught-differences.tsx';

/** Pages that are offered and compared. */
const MAX_PAGES = 50;

/** A site is taught: blocks of two or three of its pages are marked as content or not. */
export function Teach({ host }: { readonly host: string }) {
  const { user } = useSession();
  const project = useProject();
  return (
    <div className="stack">
      <PageHead title={`Teach ${host}`} trail={[{ label: 'Templates', href: `/p/${project.id}/templates` }]}>
        <p>
          Mark what is content on two or three pages of the same kind. One page alone changes nothing; where pages
          disagree, the extractor decides.
        </p>
      </PageHead>
      {user.role === 'admin' ? <Site host={host} /> : <Note>Only administrators can teach sites.</Note>}
    </div>
  );
}

function Site({ host }: { readonly host: string }) {
  const project = useProject();
  const snapshots = useQuery({
    queryKey: ['site-pages', project.id, host],
    queryFn: async () => newestOfEach(await listSiteSnapshots(project.id, [host])),
  });
  const list = useQuery({
    queryKey: ['examples', project.id, host],
    queryFn: () => admin.examples(project.id, host),
  });
  const error = snapshots.error ?? list.error;
  if (error) return <ErrorNote error={error} />;
  if (!snapshots.data || !list.data) return <Loading what="the pages of the site" />;
  if (snapshots.data.length === 0)
    return <Empty title="No snapshots">Extract two pages of the site first, for instance in the playground.</Empty>;
  return <Pages host={host} snapshots={snapshots.data} list={list.data} />;
}

function newestOfEach(snapshots: readonly SnapshotBody[]): SnapshotBody[] {
  const byUrl = new Map<string, SnapshotBody>();
  for (const one of snapshots) if (!byUrl.has(one.final_url)) byUrl.set(one.final_url, one);
  return [...byUrl.values()].slice(0, MAX_PAGES);
}

interface PagesProps {
  readonly host: string;
  readonly snapshots: readonly SnapshotBody[];
  readonly list: SiteExampleList;
}

function Pages({ host, snapshots, list }: PagesProps) {
  const [query, setQuery] = useSearchParams();
  const [showsDifferences, setShowsDifferences] = useState(false);
  const marked = new Set(list.items.map(({ dom_id: id }) => id));
  const open = (id: string): void => setQuery({ page: id }, { replace: true });
  const choices = [
    ...snapshots.map(({ dom_id: id, final_url: url }) => ({ id, url })),
    ...list.items
      .filter(({ dom_id: id }) => !snapshots.some((one) => one.dom_id === id))
      .map(({ dom_id: id, url }) => ({ id, url })),
  ];
  const asked = choices.find(({ id }) => id === query.get('page'))?.id;
  // The first mark of a page does not change which one is open.
  const [first] = useState(() => (choices.find(({ id }) => !marked.has(id)) ?? choices[0])?.id);
  const domId = asked ?? first;
  const next = choices.find(({ id }) => !marked.has(id) && id !== domId);
  return (
    <>
      <div className="row-between">
        <ChoiceField
          label="Page"
          choices={choices.map(({ id, url }) => ({ value: id, label: marked.has(id) ? `✓ ${url}` : url }))}
          value={domId ?? ''}
          onChange={open}
        />
        <div className="row">
          <span className="muted">{describeMarked(list)}</span>
          <Button
            label={showsDifferences ? 'Back to the page' : 'Show differences'}
            disabled={list.document === null}
            aria-expanded={showsDifferences}
            onClick={() => setShowsDifferences(!showsDifferences)}
          />
          <MakeLive host={host} list={list} />
        </div>
      </div>
      {showsDifferences && list.document !== null ? (
        <TaughtDifferences list={list} snapshots={snapshots} />
      ) : (
        domId !== undefined && <Example key={domId} host={host} domId={domId} next={next && (() => open(next.id))} />
      )}
    </>
  );
}

function describeMarked({ items, document }: SiteExampleList): string {
  if (items.length === 0) return 'No page is marked';
  const pages = items.length === 1 ? '1 page is marked' : `${items.length} pages are marked`;
  return document === null ? `${pages}, another one of the same kind is needed` : pages;
}

/** Asks, because the next request is answered by the marks. */
function MakeLive({ host, list }: Pick<PagesProps, 'host' | 'list'>) {
  const project = useProject();
  const client = useQueryClient();
  const { template, document } = list;
  return (
    <>
      {template && (
        <Link href={`/p/${project.id}/templates/${template.name}`}>
          {template.state === 'active' ? `Live: version ${template.version}` : `Version ${template.version}, not live`}
        </Link>
      )}
      <AskingButton
        label="Make live"
        look="primary"
        disabled={document === null}
        title={`Answer ${host} by the marks?`}
        action="Make live"
        done={`Pages of ${host} are extracted by the marks`}
        run={() => admin.teachSite(project.id, host)}
        onDone={() => {
          for (const queryKey of ['examples', 'template', 'templates'])
            void client.invalidateQueries({ queryKey: [queryKey] });
        }}
      >
        <p>
          From the next request on, pages of {host} in this project are extracted with the marks of {list.items.length}{' '}
          pages. You can retire this version, or restore an earlier one, at any time.
        </p>
      </AskingButton>
    </>
  );
}

interface ExampleProps {
  readonly host: string;
  readonly domId: string;
  /** Opens a page without marks; undefined: there is none. */
  readonly next: (() => void) | undefined;
}

function Example({ host, domId, next }: ExampleProps) {
  const project = useProject();
  const outline = useQuery({
    queryKey: outlineKey(project.id, host, domId),
    queryFn: () => admin.example(project.id, host, domId),
    // Marks change it here first.
    staleTime: Infinity,
  });
  const html = useQuery(htmlQuery(project.id, domId));
  const page = useMemo(() => (html.data === undefined ? undefined : parseStored(html.data)), [html.data]);
  const error = outline.error ?? html.error;
  if (error) return <ErrorNote error={error} />;
  if (!outline.data || !page) return <Loading what="the page" />;
  return <Workbench outline={outline.data} page={page} next={next} />;
}

function outlineKey(projectId: string, host: string, domId: string): readonly string[] {
  return ['outline', projectId, host, domId];
}

interface WorkbenchProps extends Pick<ExampleProps, 'next'> {
  readonly outline: SiteOutline;
  readonly page: ReturnType<typeof parseStored>;
}

type Marks = ReadonlyMap<string, boolean>;

function readMarks(blocks: readonly Block[]): Marks {
  return new Map(blocks.map((block) => [block.id, isContent(block)]));
}

function Workbench({ outline, page, next }: WorkbenchProps) {
  const { host, dom_id: domId, blocks } = outline;
  const { save, forget, status } = useMarks(outline);
  const [focused, setFocused] = useState<string>();
  const [earlier, setEarlier] = useState<readonly Marks[]>([]);
  const toggle = (ids: readonly string[]): void => {
    const marks = readMarks(blocks);
    const isKept = marks.get(ids[0] ?? '') !== true;
    setEarlier([...earlier, marks]);
    setFocused(ids[0]);
    save(new Map([...marks, ...ids.map((id): [string, boolean] => [id, isKept])]));
  };
  const undo = (): void => {
    const last = earlier.at(-1);
    if (last === undefined) return;
    setEarlier(earlier.slice(0, -1));
    save(last);
  };
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key !== 'z' || !(event.ctrlKey || event.metaKey) || event.shiftKey) return;
      event.preventDefault();
      undo();
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  });
  const finish = (): void => {
    // An unchanged page says as much as a corrected one.
    if (outline.changed_at === null) save(readMarks(blocks));
    next?.();
  };
  return (
    <div className="split teach">
      <div className="stack-s">
        <div className="row-between">
          <span className="row">
            <Button look="small" icon={Undo2} label="Undo" disabled={earlier.length === 0} onClick={undo} />
            {outline.changed_at !== null && (
              <AskingButton
                label="Delete marks"
                look="small"
                title="Delete the marks of this page?"
                action="Delete"
                done="The marks of the page are deleted"
                run={forget}
                onDone={() => undefined}
              >
                <p>The page teaches nothing from then on. Versions that are live keep what they learned of it.</p>
              </AskingButton>
            )}
          </span>
          {status}
        </div>
        <BlockList blocks={blocks} focused={focused} onFocus={setFocused} onToggle={toggle} />
        <Button
          look="primary"
          icon={Check}
          label={next ? 'The page is right, next one' : 'The page is right'}
          onClick={finish}
        />
        <p className="muted small">
          Checked is content. Arrow keys move, the space bar marks, Ctrl+Z takes the last mark back. Every mark is
          saved.
        </p>
      </div>
      <MarkedPage
        key={`${host} ${domId}`}
        domId={domId}
        page={page}
        blocks={blocks}
        focused={focused}
        onToggle={toggle}
      />
    </div>
  );
}

/** Saves every change, one after the other; a change is shown before it is saved. */
function useMarks({ host, dom_id: domId, blocks }: SiteOutline) {
  const project = useProject();
  const client = useQueryClient();
  const key = outlineKey(project.id, host, domId);
  const show = (marks: Marks | undefined, changedAt: string | null): void => {
    client.setQueryData<SiteOutline>(
      key,
      (known) =>
        known && {
          ...known,
          changed_at: changedAt,
          blocks: known.blocks.map((block) => ({ ...block, mark: marks?.get(block.id) ?? null })),
        },
    );
  };
  const saving = useMutation({
    scope: { id: key.join(' ') },
    mutationFn: async (marks: Marks | undefined) => {
      if (marks === undefined) return admin.deleteExample(project.id, host, domId);
      const body = { marks: Array.from(marks, ([block, keep]) => ({ block, keep })) };
      return admin.putExample(project.id, host, domId, body);
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['examples', project.id, host] }),
  });
  const { mutate, mutateAsync, error, isPending, variables } = saving;
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent): void => {
      if (isPending) event.preventDefault();
    };
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isPending]);
  const save = (marks: Marks): void => {
    show(marks, new Date().toISOString());
    mutate(marks);
  };
  const forget = async (): Promise<void> => {
    await mutateAsync(undefined);
    show(undefined, null);
  };
  const isSaved = blocks.some(({ mark }) => mark !== null);
  const status = error ? (
    <span role="alert">
      <ErrorNote error={error} />
      <Button look="small" label="Save again" onClick={() => mutate(variables)} />
    </span>
  ) : (
    <span role="status">
      {isPending ? <Badge>Saving…</Badge> : isSaved ? <Badge tone="good">Saved</Badge> : <Badge>Not marked</Badge>}
    </span>
  );
  return { save, forget, status };
}
