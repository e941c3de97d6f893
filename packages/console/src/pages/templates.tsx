import type { TemplateDocument, TemplateState, TemplateSummary } from '@winnow/client';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ErrorNote } from '../components/error-note.tsx';
import { Empty, Loading, Note } from '../components/feedback.tsx';
import { Field } from '../components/field.tsx';
import { Modal } from '../components/modal.tsx';
import { PageHead } from '../components/page-head.tsx';
import { admin } from '../lib/admin.ts';
import { formatCount, formatPercent, formatTime } from '../lib/format.ts';
import { useProject } from '../lib/project.tsx';
import { useSession } from '../lib/session.tsx';
import { TemplateBadge } from './templates/template-badge.tsx';

const STATES: readonly TemplateState[] = ['active', 'candidate', 'suspect', 'retired'];

export function Templates() {
  const { user } = useSession();
  return (
    <div className="stack">
      <PageHead title="Templates">
        <p>What the service has learned about sites, and how well it holds.</p>
      </PageHead>
      {user.role === 'admin' ? (
        <TemplateBrowser />
      ) : (
        <Note>Templates serve every project of this service: administrators look after them.</Note>
      )}
    </div>
  );
}

function TemplateBrowser() {
  const [state, setState] = useState<TemplateState | ''>('');
  const [domain, setDomain] = useState('');
  const [importing, setImporting] = useState(false);
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery({
    queryKey: ['templates', state, domain],
    queryFn: ({ pageParam }) =>
      admin.templates({
        ...(state === '' ? {} : { state }),
        ...(domain === '' ? {} : { domain }),
        ...(pageParam === '' ? {} : { cursor: pageParam }),
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next,
  });
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <div className="card filters">
        <Field label="Site">
          {(props) => (
            <input
              {...props}
              className="input"
              type="search"
              placeholder="example.com"
              value={domain}
              onChange={(event) => setDomain(event.target.value.trim())}
            />
          )}
        </Field>
        <Field label="State">
          {(props) => (
            <select
              {...props}
              className="input"
              value={state}
              onChange={(event) => setState(STATES.find((one) => one === event.target.value) ?? '')}
            >
              <option value="">any</option>
              {STATES.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          )}
        </Field>
        <div className="row">
          <button type="button" className="button" onClick={() => setImporting(true)}>
            <Plus size={15} aria-hidden="true" /> Import
          </button>
        </div>
      </div>
      {error && <ErrorNote error={error} />}
      <div className="card flush">
        {items.length > 0 && <TemplateTable items={items} />}
        {data && items.length === 0 && (
          <Empty title="No templates">They are learned from pages of the same site, or imported.</Empty>
        )}
        {!data && !error && <Loading what="the templates" />}
      </div>
      {hasNextPage && (
        <div>
          <button type="button" className="button" disabled={isFetching} onClick={() => void fetchNextPage()}>
            Load more
          </button>
        </div>
      )}
      <Modal open={importing} onClose={() => setImporting(false)} title="Import a template">
        <ImportForm onClose={() => setImporting(false)} />
      </Modal>
    </>
  );
}

function TemplateTable({ items }: { readonly items: readonly TemplateSummary[] }) {
  const project = useProject();
  return (
    <div className="table-wrap" tabIndex={0} role="group" aria-label="Templates">
      <table className="table cards">
        <thead>
          <tr>
            <th>Site</th>
            <th>State</th>
            <th>Made by</th>
            <th className="number">Served</th>
            <th className="number">Failed</th>
            <th className="number">Disagreed</th>
            <th>Changed</th>
          </tr>
        </thead>
        <tbody>
          {items.map((one) => (
            <tr key={one.name}>
              <td data-label="" className="wide">
                <Link href={`/p/${project.id}/templates/${one.name}`}>{one.domain}</Link>
                <div className="muted small mono">{one.name}</div>
              </td>
              <td data-label="State">
                <TemplateBadge state={one.state} />
              </td>
              <td data-label="Made by">{one.source}</td>
              <td data-label="Served" className="number">
                {formatCount(one.health.served)}
              </td>
              <td data-label="Failed" className="number">
                {share(one.health.failed, one.health.served)}
              </td>
              <td data-label="Disagreed" className="number">
                {share(one.health.disagreed, one.health.compared)}
              </td>
              <td data-label="Changed" className="nowrap">
                {formatTime(one.changed_at)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function share(part: number, whole: number): string {
  return whole === 0 ? '–' : formatPercent(part / whole);
}

function ImportForm({ onClose }: { readonly onClose: () => void }) {
  const project = useProject();
  const [, navigate] = useLocation();
  const [text, setText] = useState('');
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => admin.importTemplate(JSON.parse(text) as TemplateDocument),
    onSuccess: ({ template }) => navigate(`/p/${project.id}/templates/${template.name}`),
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <Field label="Template as JSON" hint="It is checked and stored as a candidate; nothing is served by it yet.">
        {(props) => (
          <textarea
            {...props}
            className="input mono"
            rows={12}
            required
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      {error && <ErrorNote error={error} />}
      <div className="actions">
        <button type="button" className="button" onClick={onClose}>
          Cancel
        </button>
        <button className="button primary" disabled={isPending}>
          Import
        </button>
      </div>
    </form>
  );
}
