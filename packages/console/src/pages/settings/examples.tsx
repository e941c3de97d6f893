import { useContext, useState } from 'react';
import { CodeBlock } from '../../components/data/code-block.tsx';
import { CopyableId } from '../../components/controls/copy-button.tsx';
import { Loading } from '../../components/feedback/feedback.tsx';
import { Segments } from '../../components/form/field.tsx';
import { TabSet } from '../../components/controls/tab-set.tsx';
import { KEY_PLACE, writeCurl, writePython, writeTypeScript } from '../../lib/examples.ts';
import { ProjectContext, useService } from '../../lib/project.tsx';

const URL = 'https://example.com/';

const KINDS = [
  { value: 'project', label: 'Project key' },
  { value: 'key_only', label: 'Standalone key' },
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
  const { base_url: here, base_url_overseas: overseas, console_url_overseas: overseasConsole } = service.data;
  const isOverseas = region === 'overseas' && overseas !== null;
  // Keys and projects of this region do not exist in the other one.
  const projectId = isOverseas ? 'YOUR_OVERSEAS_PROJECT_ID' : (project?.id ?? 'YOUR_PROJECT_ID');
  const target = {
    baseUrl: isOverseas ? overseas : here,
    key: isOverseas ? 'YOUR_OVERSEAS_KEY' : KEY_PLACE,
    projectId: kind === 'project' ? projectId : undefined,
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
        {isOverseas && <OverseasHint consoleUrl={overseasConsole} />}
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

/** Where to get key and project id of the overseas examples. */
function OverseasHint({ consoleUrl }: { readonly consoleUrl: string | null }) {
  return (
    <p className="muted">
      The overseas region has its own keys and project ids. Create them in{' '}
      {consoleUrl === null ? 'the overseas console' : <a href={consoleUrl}>the overseas console</a>}.
    </p>
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
        {data.base_url_overseas !== null && (
          <>
            <dt>Base address overseas</dt>
            <dd>
              <CopyableId id={data.base_url_overseas} what="overseas base address" />
            </dd>
          </>
        )}
        <dt>Console</dt>
        <dd>
          <CopyableId id={data.console_url} what="console address" />
        </dd>
        {data.console_url_overseas !== null && (
          <>
            <dt>Console overseas</dt>
            <dd>
              <CopyableId id={data.console_url_overseas} what="overseas console address" />
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}
