import type { SnapshotBody, TemplateDocument, TemplateSelectorDocument } from '@winnow/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../../components/controls/button.tsx';
import { ErrorNote } from '../../components/feedback/error-note.tsx';
import { Empty, Loading } from '../../components/feedback/feedback.tsx';
import { notify } from '../../components/feedback/toasts.tsx';
import { ChoiceField } from '../../components/form/field.tsx';
import { StoredPage } from '../../components/data/stored-page.tsx';
import { admin } from '../../lib/admin.ts';
import { formatTime } from '../../lib/format.ts';
import { useProject } from '../../lib/project.tsx';
import { findBestSnapshot, htmlQuery, listSiteSnapshots } from '../../lib/site-snapshots.ts';
import { findHits, parseStored, type StoredDocument } from '../../lib/stored-document.ts';
import { correctField, listFields, writeSelector, type TemplatePlace } from '../../lib/template-fields.ts';
import { forgetUnsavedWork, useUnsavedWork } from '../../lib/unsaved-work.ts';
import { Correction } from './correction.tsx';
import { NodePicker } from './node-picker.tsx';
import { SiteTest } from './site-test.tsx';

interface FieldEditorProps {
  readonly template: TemplateDocument;
  readonly hosts: readonly string[];
}

export function FieldEditor({ template, hosts }: FieldEditorProps) {
  const project = useProject();
  const { data, error } = useQuery({
    queryKey: ['site-snapshots', project.id, hosts],
    queryFn: () => listSiteSnapshots(project.id, hosts),
  });
  if (error) return <ErrorNote error={error} />;
  if (!data) return <Loading what="the snapshots of the site" />;
  if (data.length === 0) {
    return <Empty title="No snapshots">This project has no snapshot of this site to show the fields on.</Empty>;
  }
  return <OnSnapshot template={template} hosts={hosts} snapshots={data} />;
}

function OnSnapshot({
  template,
  hosts,
  snapshots,
}: FieldEditorProps & { readonly snapshots: readonly SnapshotBody[] }) {
  const project = useProject();
  const [chosen, setChosen] = useState<string>();
  const best = useQuery({
    queryKey: ['best-snapshot', project.id, template, snapshots[0]?.dom_id],
    queryFn: () => findBestSnapshot(project.id, template, snapshots),
    staleTime: Infinity,
  });
  // The newest snapshot, if the test of the template fails.
  const domId = chosen ?? (best.isError ? snapshots[0]?.dom_id : best.data) ?? '';
  const { data: html, error } = useQuery({ ...htmlQuery(project.id, domId), enabled: domId !== '' });
  const page = useMemo(() => (html === undefined ? undefined : parseStored(html)), [html]);
  return (
    <div className="stack">
      <ChoiceField
        label="Shown on"
        choices={snapshots.map((one) => ({
          value: one.dom_id,
          label: `${one.final_url}, ${formatTime(one.fetched_at)}`,
        }))}
        value={domId}
        onChange={setChosen}
      />
      {error && <ErrorNote error={error} />}
      {page ? (
        <Workbench key={domId} template={template} hosts={hosts} domId={domId} page={page} />
      ) : (
        !error && <Loading what="the page" />
      )}
    </div>
  );
}

interface WorkbenchProps extends FieldEditorProps {
  readonly domId: string;
  readonly page: StoredDocument;
}

function Workbench({ template, hosts, domId, page }: WorkbenchProps) {
  const [draft, setDraft] = useState(template);
  const [shown, setShown] = useState('title');
  const [picking, setPicking] = useState(false);
  const [picked, setPicked] = useState<number>();
  const fields = listFields(draft);
  const field = fields.find(({ name }) => name === shown);
  const hits = useMemo(() => field && firstHits(page, field), [page, field]);
  const marks = useMemo(() => ({ [shown.replaceAll(/[^\w-]/g, '_').slice(0, 40)]: hits ?? [] }), [shown, hits]);
  const stop = (): void => {
    setPicking(false);
    setPicked(undefined);
  };
  const take = (selector: TemplateSelectorDocument): void => {
    setDraft(correctField(draft, shown, selector));
    stop();
  };
  return (
    <>
      <div className="split">
        <div className="stack">
          <FieldList fields={fields} page={page} shown={shown} onShow={(name) => (stop(), setShown(name))} />
          {picking ? (
            <Correction page={page} picked={picked} field={shown} onTake={take} onStop={stop} />
          ) : (
            <Button label={`Correct ${shown}`} onClick={() => setPicking(true)} />
          )}
        </div>
        {picking ? (
          <NodePicker domId={domId} page={page} marks={marks} picked={picked} onPick={setPicked} />
        ) : (
          <StoredPage domId={domId} title={`Stored page with ${shown} outlined`} marks={marks} />
        )}
      </div>
      {draft !== template && <Draft draft={draft} hosts={hosts} onDiscard={() => setDraft(template)} />}
    </>
  );
}

/** Matches of the first selector that matches, as the template reads them. */
function firstHits(page: StoredDocument, field: TemplatePlace): number[] {
  for (const selector of field.selectors) {
    const hits = findHits(page, selector);
    if (hits && hits.length > 0) return selector.all === true || field.name === 'main_text' ? hits : hits.slice(0, 1);
  }
  return [];
}

interface FieldListProps {
  readonly fields: readonly TemplatePlace[];
  readonly page: StoredDocument;
  readonly shown: string;
  readonly onShow: (name: string) => void;
}

function FieldList({ fields, page, shown, onShow }: FieldListProps) {
  return (
    <fieldset className="card plain-card">
      <legend className="visually-hidden">Fields</legend>
      {fields.map((field) => (
        <label key={field.name} className="field-choice">
          <input type="radio" name="field" checked={field.name === shown} onChange={() => onShow(field.name)} />
          <span className="grow">
            <strong>{field.name}</strong>
            {field.selectors.map((selector) => (
              <span key={writeSelector(selector)} className="selector mono">
                {writeSelector(selector)} <span className="muted">{describeHits(findHits(page, selector))}</span>
              </span>
            ))}
            {field.fallback !== undefined && <span className="muted small"> {field.fallback}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

function describeHits(hits: readonly number[] | undefined): string {
  if (hits === undefined) return '(no node to outline)';
  return hits.length === 1 ? '(1 hit)' : `(${hits.length} hits)`;
}

interface DraftProps {
  readonly draft: TemplateDocument;
  readonly hosts: readonly string[];
  readonly onDiscard: () => void;
}

/** A corrected template: results on the whole site, then a new version. */
function Draft({ draft, hosts, onDiscard }: DraftProps) {
  const project = useProject();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [previewed, setPreviewed] = useState<TemplateDocument>();
  useUnsavedWork(true);
  const save = useMutation({
    mutationFn: () => admin.importTemplate(draft),
    onSuccess: ({ template }) => {
      void client.invalidateQueries({ queryKey: ['template'] });
      void client.invalidateQueries({ queryKey: ['templates'] });
      forgetUnsavedWork();
      notify(`Saved as version ${template.version}, which serves no requests yet`);
      navigate(`/p/${project.id}/templates/${template.name}`);
    },
  });
  return (
    <section className="card stack" aria-label="Corrected template">
      <div className="row-between">
        <div>
          <h2>Corrected, not saved yet</h2>
          <p className="muted small">It serves no requests until you save and activate it.</p>
        </div>
        <div className="row">
          <Button look="quiet" label="Discard" onClick={onDiscard} />
          <Button label="Preview on all stored snapshots" onClick={() => setPreviewed(draft)} />
          <Button
            look="primary"
            label="Save as a new version"
            disabled={save.isPending}
            onClick={() => save.mutate()}
          />
        </div>
      </div>
      {save.error && <ErrorNote error={save.error} />}
      {previewed && (
        <SiteTest
          hosts={hosts}
          queryKey={['template-preview', previewed]}
          call={(projectId, domIds) =>
            admin.previewTemplate({ project_id: projectId, dom_ids: domIds, document: { ...previewed } })
          }
        />
      )}
    </section>
  );
}
