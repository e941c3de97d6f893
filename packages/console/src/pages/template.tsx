import type { TemplateResponse, TemplateSummary } from '@winnow/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Button } from '../components/controls/button.tsx';
import { CodeBlock } from '../components/data/code-block.tsx';
import { DataTable } from '../components/data/data-table.tsx';
import { FactList } from '../components/data/fact-list.tsx';
import { ErrorNote } from '../components/feedback/error-note.tsx';
import { notify } from '../components/feedback/toasts.tsx';
import { Badge, Loading } from '../components/feedback/feedback.tsx';
import { PageHead } from '../components/layout/page-head.tsx';
import { AskingButton } from '../components/controls/modal.tsx';
import { TabSet } from '../components/controls/tab-set.tsx';
import { TimeChart } from '../components/data/time-chart.tsx';
import { admin } from '../lib/admin.ts';
import { formatCount, formatPercent } from '../lib/format.ts';
import { useProject } from '../lib/project.tsx';
import { formatNote, formatServing } from '../lib/template-figures.ts';
import { FieldEditor } from './templates/field-editor.tsx';
import { SiteTable, TeachLink } from './templates/site-list.tsx';
import { SiteTest } from './templates/site-test.tsx';
import { TemplateBadge } from './templates/template-badge.tsx';
import { Time } from '../components/data/time.tsx';

export function TemplatePage({ templateId }: { readonly templateId: string }) {
  const name = decodeURIComponent(templateId);
  const { data, error } = useQuery({ queryKey: ['template', name], queryFn: () => admin.template(name) });
  if (error) {
    return (
      <div className="stack">
        <PageHead title="Template" />
        <OfSite name={name} error={error} />
      </div>
    );
  }
  return data ? <Found data={data} /> : <Loading what="the template" />;
}

/** Answers also name the evidence of a site, which is no template. */
function OfSite({ name, error }: { readonly name: string; readonly error: Error }) {
  const project = useProject();
  const { data } = useQuery({ queryKey: ['sites', project.id, ''], queryFn: () => admin.sites(project.id) });
  const id = name.split(':')[0];
  const site = data?.items.find((one) => one.name.split(':')[0] === id);
  return site === undefined ? <ErrorNote error={error} /> : <SiteTable items={[site]} />;
}

function Found({ data }: { readonly data: TemplateResponse }) {
  const project = useProject();
  const { template, document } = data;
  return (
    <div className="stack">
      <PageHead
        title={`Template of ${template.domain}`}
        trail={[{ label: 'Templates', href: `/p/${project.id}/templates` }]}
        actions={
          <>
            {document.taught !== undefined && template.hosts[0] !== undefined && (
              <TeachLink host={template.hosts[0]}>Change the marks</TeachLink>
            )}
            <Actions data={data} />
          </>
        }
      />
      <Facts template={template} />
      <TabSet
        label="Template"
        tabs={[
          {
            value: 'fields',
            label: 'Fields',
            content: () => <FieldEditor template={document} hosts={template.hosts} />,
          },
          {
            value: 'results',
            label: 'Fill rates',
            content: () => (
              <SiteTest
                hosts={template.hosts}
                queryKey={['template-test', template.name]}
                call={(projectId, domIds) =>
                  admin.testTemplate(template.name, { project_id: projectId, dom_ids: domIds })
                }
              />
            ),
          },
          { value: 'history', label: 'Versions', content: () => <Versions data={data} /> },
          {
            value: 'json',
            label: 'JSON',
            content: () => <CodeBlock what="template" text={JSON.stringify(document, null, 2)} />,
          },
        ]}
      />
    </div>
  );
}

function Facts({ template }: { readonly template: TemplateSummary }) {
  const { health, warning } = template;
  const rates = Object.entries(health.fill_rates).map(([name, rate]) => `${name} ${formatPercent(rate)}`);
  const version = (
    <>
      <code>{template.name}</code> <TemplateBadge state={template.state} />
    </>
  );
  const changed = (
    <>
      <Badge tone="warn">site changed</Badge> {warning}; the generic extraction supplies them
    </>
  );
  return (
    <div className="card">
      <FactList
        facts={[
          ['Version', version],
          ['Status reason', formatNote(template.note)],
          ['Hosts', template.hosts.join(', ')],
          ['Served', formatServing(health)],
          ['Found on served pages', rates.length > 0 && rates.join(', ')],
          ['Warning', warning !== null && changed],
        ]}
      />
    </div>
  );
}

function Actions({ data: { template, versions } }: { readonly data: TemplateResponse }) {
  const client = useQueryClient();
  const { domain, name, state, version } = template;
  const refresh = async (): Promise<void> => {
    await client.invalidateQueries({ queryKey: ['template'] });
    await client.invalidateQueries({ queryKey: ['templates'] });
  };
  const restore = async (): Promise<void> => {
    await admin.changeTemplate(name, 'activate');
    await refresh();
  };
  const isActive = `Version ${version} is active`;
  const { mutate, error, isPending } = useMutation({ mutationFn: restore, onSuccess: () => notify(isActive) });
  return (
    <>
      {error && <ErrorNote error={error} />}
      {state !== 'active' && (
        <Button
          look="primary"
          label={state === 'candidate' ? 'Activate' : 'Restore'}
          disabled={isPending}
          onClick={() => mutate()}
        />
      )}
      {state === 'active' && versions.length > 1 && (
        <AskingButton
          label="Roll back"
          title="Roll back to the version before?"
          action="Roll back"
          done={`Version ${version} is rolled back`}
          run={() => admin.changeTemplate(name, 'rollback')}
          onDone={() => void refresh()}
        >
          <p>
            Version {version} is retired, and the version before it serves from the next request on. You can restore
            version {version} at any time.
          </p>
        </AskingButton>
      )}
      {state !== 'retired' && (
        <AskingButton
          label="Retire"
          title="Retire this template?"
          action="Retire"
          done={`Version ${version} is retired`}
          undo={{ run: restore, done: isActive }}
          run={() => admin.changeTemplate(name, 'retire')}
          onDone={() => void refresh()}
        >
          <p>
            Pages of {domain} that it served are answered by another template that fits, else by the generic extractor,
            from the next request on. You can restore it at any time.
          </p>
        </AskingButton>
      )}
    </>
  );
}

/** Every version with the event of its state: imported, activated, rolled back. */
function Versions({ data: { template, versions, serving } }: { readonly data: TemplateResponse }) {
  const project = useProject();
  return (
    <div className="stack">
      <ServedByDay serving={serving} />
      <div className="card flush">
        <DataTable
          label="Versions"
          rows={versions}
          rowKey={({ name }) => name}
          columns={[
            {
              label: 'Version',
              cell: ({ name, version }) =>
                name === template.name ? (
                  <strong>v{version}</strong>
                ) : (
                  <Link href={`/p/${project.id}/templates/${name}`}>v{version}</Link>
                ),
            },
            { label: 'State', cell: ({ state }) => <TemplateBadge state={state} /> },
            { label: 'What happened', cell: ({ note }) => formatNote(note) },
            { label: 'When', className: 'nowrap', cell: ({ changed_at }) => <Time iso={changed_at} /> },
            { label: 'Served', className: 'number', cell: ({ health }) => formatCount(health.served) },
            { label: 'Failed', className: 'number', cell: ({ health }) => formatCount(health.failed) },
          ]}
        />
      </div>
    </div>
  );
}

const DAY_S = 86_400;
const SHOWN_DAYS = 30;

function ServedByDay({ serving }: Pick<TemplateResponse, 'serving'>) {
  const today = Math.floor(Date.now() / 1000 / DAY_S) * DAY_S;
  const times = Array.from({ length: SHOWN_DAYS }, (_, index) => today - (SHOWN_DAYS - 1 - index) * DAY_S);
  const countsOf = (name: 'served' | 'failed'): number[] => {
    const byDay = new Map(serving.map((one) => [Date.parse(one.day) / 1000, one[name]]));
    return times.map((time) => byDay.get(time) ?? 0);
  };
  return (
    <section className="card">
      <h2>Served by day</h2>
      <TimeChart
        label="Served by day"
        kind="bars"
        times={times}
        format={formatCount}
        series={[
          { name: 'Served', values: countsOf('served'), color: 1 },
          { name: 'Failed', values: countsOf('failed'), color: 2 },
        ]}
      />
    </section>
  );
}
