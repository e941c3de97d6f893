import { useContext, useState } from 'react';
import { CodeBlock } from '../../components/code-block.tsx';
import { CopyableId } from '../../components/copy-button.tsx';
import { Loading } from '../../components/feedback.tsx';
import { Segments } from '../../components/field.tsx';
import { TabSet } from '../../components/tab-set.tsx';
import { KEY_PLACE, writeCurl, writePython, writeTypeScript } from '../../lib/examples.ts';
import { ProjectContext, useService } from '../../lib/project.tsx';

const URL = 'https://example.com/';

const KINDS = [
  { value: 'project', label: 'Project key' },
  { value: 'key_only', label: 'Key only' },
] as const;

const REGIONS = [
  { value: 'here', label: 'This region' },
  { value: 'overseas', label: 'Overseas' },
] as const;

export function ExampleSettings() {
  const service = useService();
  const project = useContext(ProjectContext);
  const [kind, setKind] = useState<'project' | 'key_only'>('project');
  const [region, setRegion] = useState<'here' | 'overseas'>('here');
  if (!service.data) return <Loading what="the addresses" />;
  const { base_url: here, base_url_overseas: overseas } = service.data;
  const target = {
    baseUrl: region === 'overseas' && overseas !== null ? overseas : here,
    key: KEY_PLACE,
    projectId: kind === 'project' ? (project?.id ?? 'YOUR_PROJECT_ID') : undefined,
  };
  return (
    <div className="stack">
      <Addresses data={service.data} />
      <section className="card stack">
        <div className="row-between">
          <h2>Examples</h2>
          <div className="row">
            {overseas !== null && <Segments label="Region" value={region} options={REGIONS} onChange={setRegion} />}
            <Segments label="Kind of key" value={kind} options={KINDS} onChange={setKind} />
          </div>
        </div>
        <TabSet
          label="Language"
          tabs={[
            {
              value: 'curl',
              label: 'curl',
              content: () => (
                <div className="stack-s">
                  <CodeBlock
                    what="extract with curl"
                    text={writeCurl(target, '/v1/extract', { extract: { url: URL } })}
                  />
                  <CodeBlock what="capture with curl" text={writeCurl(target, '/v1/dom/dump', { url: URL })} />
                </div>
              ),
            },
            {
              value: 'typescript',
              label: 'TypeScript',
              content: () => <CodeBlock what="TypeScript example" text={writeTypeScript(target, URL)} />,
            },
            {
              value: 'python',
              label: 'Python',
              content: () => <CodeBlock what="Python example" text={writePython(target, URL)} />,
            },
          ]}
        />
      </section>
    </div>
  );
}

function Addresses({ data }: { readonly data: NonNullable<ReturnType<typeof useService>['data']> }) {
  return (
    <section className="card">
      <h2>Addresses</h2>
      <dl className="facts">
        <dt>Region</dt>
        <dd>{data.region}</dd>
        <dt>Base address</dt>
        <dd>
          <CopyableId id={data.base_url} what="base address" />
        </dd>
        <dt>Base address overseas</dt>
        <dd>
          {data.base_url_overseas === null ? (
            <span className="muted">none; the overseas region has a console of its own</span>
          ) : (
            <CopyableId id={data.base_url_overseas} what="overseas base address" />
          )}
        </dd>
        <dt>Console</dt>
        <dd>
          <CopyableId id={data.console_url} what="console address" />
        </dd>
      </dl>
    </section>
  );
}
