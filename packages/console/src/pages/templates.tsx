import type { TemplateDocument, TemplateState, TemplateSummary } from '@winnow/client';
import { useMutation } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Button } from '../components/controls/button.tsx';
import { DataTable } from '../components/data/data-table.tsx';
import { PagedList, usePages } from '../components/data/paged-list.tsx';
import { Badge, Note } from '../components/feedback/feedback.tsx';
import { notify } from '../components/feedback/toasts.tsx';
import { LinesField, TextField } from '../components/form/field.tsx';
import { SearchChoice } from '../components/form/search-form.tsx';
import { DialogForm } from '../components/form/form.tsx';
import { Modal } from '../components/controls/modal.tsx';
import { PageHead } from '../components/layout/page-head.tsx';
import { admin } from '../lib/admin.ts';
import { formatCount } from '../lib/format.ts';
import { useProject, useProjects } from '../lib/project.tsx';
import { useSession } from '../lib/session.tsx';
import { forgetUnsavedWork, useUnsavedWork } from '../lib/unsaved-work.ts';
import { formatFailed } from '../lib/template-figures.ts';
import { SiteList } from './templates/site-list.tsx';
import { TemplateBadge } from './templates/template-badge.tsx';
import { Time } from '../components/data/time.tsx';

const SOURCES: Readonly<Record<string, string>> = { induced: 'learned before', ftr: 'ftr-site-config', hand: 'manual' };

const STATES: readonly TemplateState[] = ['active', 'candidate', 'retired'];

export function Templates() {
  const { user } = useSession();
  return (
    <div className="stack">
      <PageHead title="Templates">
        <p>Extraction rules that people wrote for single sites, and the sites whose pages help to extract others.</p>
      </PageHead>
      {user.role === 'admin' ? <TemplateBrowser /> : <Note>Only administrators can manage templates.</Note>}
    </div>
  );
}

function TemplateBrowser() {
  const project = useProject();
  const [state, setState] = useState<TemplateState | ''>('');
  const [domain, setDomain] = useState('');
  const [importing, setImporting] = useState(false);
  const query = usePages(['templates', project.id, state, domain], async (next) => {
    const filter = { ...(state === '' ? {} : { state }), ...(domain === '' ? {} : { domain }) };
    const page = await admin.templates({ project_id: project.id, ...filter, ...next });
    return { items: page.items, next_cursor: page.next };
  });
  return (
    <>
      <div className="card filters">
        <TextField
          label="Site"
          type="search"
          placeholder="example.com"
          value={domain}
          onChange={(value) => setDomain(value.trim())}
        />
        <SearchChoice
          label="State"
          choices={STATES}
          value={state}
          onChange={(value) => setState(STATES.find((one) => one === value) ?? '')}
        />
        <div className="row">
          <Button icon={Plus} label="Import" onClick={() => setImporting(true)} />
        </div>
      </div>
      <PagedList
        query={query}
        what="templates"
        empty="Import one. Without a template, pages of a site help to extract others."
      >
        {(items) => <TemplateTable items={items} />}
      </PagedList>
      <SiteList domain={domain} />
      <Modal open={importing} onClose={() => setImporting(false)} title="Import a template">
        <ImportForm onClose={() => setImporting(false)} />
      </Modal>
    </>
  );
}

function TemplateTable({ items }: { readonly items: readonly TemplateSummary[] }) {
  const project = useProject();
  const { data: projects } = useProjects();
  return (
    <DataTable
      label="Templates"
      rows={items}
      rowKey={({ name }) => name}
      columns={[
        {
          label: 'Site',
          bare: true,
          className: 'wide',
          cell: ({ name, domain }) => (
            <>
              <Link href={`/p/${project.id}/templates/${name}`}>{domain}</Link>
              <div className="muted small mono">{name}</div>
            </>
          ),
        },
        {
          label: 'State',
          cell: ({ state, warning }) => (
            <>
              <TemplateBadge state={state} /> {warning !== null && <Badge tone="warn">site changed</Badge>}
            </>
          ),
        },
        {
          label: 'Project',
          cell: ({ project_id: id }) => (id === null ? 'all' : (projects?.find((one) => one.id === id)?.name ?? id)),
        },
        { label: 'Source', cell: ({ source }) => SOURCES[source] ?? source },
        { label: 'Served', className: 'number', cell: ({ health }) => formatCount(health.served) },
        { label: 'Failed', className: 'number', cell: ({ health }) => formatFailed(health) },
        { label: 'Changed', className: 'nowrap', cell: ({ changed_at }) => <Time iso={changed_at} /> },
      ]}
    />
  );
}

function ImportForm({ onClose }: { readonly onClose: () => void }) {
  const project = useProject();
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  useUnsavedWork(text !== '');
  const importing = useMutation({
    mutationFn: async () => admin.importTemplate(JSON.parse(text) as TemplateDocument),
    onSuccess: ({ template }) => {
      forgetUnsavedWork();
      notify('Imported as a candidate, which serves no requests yet');
      navigate(`/p/${project.id}/templates/${template.name}`);
    },
  });
  return (
    <DialogForm change={importing} submit="Import" onCancel={onClose}>
      <LinesField
        label="Template as JSON"
        hint="It is checked and stored as a candidate. It serves no requests until you activate it."
        rows={12}
        required
        value={text}
        onChange={setText}
      />
    </DialogForm>
  );
}
