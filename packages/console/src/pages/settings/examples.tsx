import { useContext, useState } from 'react';
import { CodeBlock } from '../../components/data/code-block.tsx';
import { CopyableId } from '../../components/controls/copy-button.tsx';
import { FactList } from '../../components/data/fact-list.tsx';
import { Loading } from '../../components/feedback/feedback.tsx';
import { Segments } from '../../components/form/field.tsx';
import { TabSet } from '../../components/controls/tab-set.tsx';
import { KEY_PLACE, writeCalls } from '../../lib/examples.ts';
import { KEY_KINDS, type KeyKind } from '../../lib/key-names.ts';
import { ProjectContext, useService } from '../../lib/project.tsx';

const URL = 'https://example.com/';

/** In the order of the samples. */
const LANGUAGES = ['curl', 'Python', 'TypeScript'] as const;

const REGIONS = [
  { value: 'here', label: 'This region' },
  { value: 'overseas', label: 'Overseas' },
] as const;

export function ExampleSettings() {
  const service = useService();
  const project = useContext(ProjectContext);
  const [kind, setKind] = useState<KeyKind>('project');
  const [region, setRegion] = useState<'here' | 'overseas'>('here');
  if (!service.data) return <Loading what="the addresses" />;
  const { base_url: here, base_url_overseas: overseas, console_url_overseas: overseasConsole } = service.data;
  const isOverseas = region === 'overseas' && overseas !== null;
  // Keys and projects of this region do not exist in the other one.
  const projectId = isOverseas ? 'YOUR_OVERSEAS_PROJECT_ID' : (project?.id ?? 'YOUR_PROJECT_ID');
  const target = {
    baseUrl: isOverseas ? overseas : here,
    apiKey: isOverseas ? 'YOUR_OVERSEAS_KEY' : KEY_PLACE,
    projectId: kind === 'project' ? projectId : undefined,
  };
  const calls = [
    { what: 'extract', samples: writeCalls(target, '/v1/extract', { extract: { url: URL } }) },
    { what: 'capture', samples: writeCalls(target, '/v1/dom/dump', { url: URL }) },
  ];
  return (
    <div className="stack">
      <Addresses data={service.data} />
      <section className="card stack">
        <div className="row-between">
          <h2>Examples</h2>
          <div className="row">
            {overseas !== null && <Segments label="Region" value={region} options={REGIONS} onChange={setRegion} />}
            <Segments label="Kind of key" value={kind} options={KEY_KINDS} onChange={setKind} />
          </div>
        </div>
        {isOverseas && <OverseasHint consoleUrl={overseasConsole} />}
        <TabSet
          label="Language"
          tabs={LANGUAGES.map((label, place) => ({
            value: label,
            label,
            content: () => (
              <div className="stack-s">
                {place > 0 && <Install label={label} />}
                {calls.map(({ what, samples }) => (
                  <CodeBlock key={what} what={`${what} with ${label}`} text={samples[place]?.source ?? ''} />
                ))}
              </div>
            ),
          }))}
        />
      </section>
    </div>
  );
}

const INSTALL_TYPESCRIPT = 'npm pack -w packages/client # in the clone\nnpm install ./winnow-client-0.1.0.tgz';

/** How to install the client, from the clone that the service runs from. */
function Install({ label }: { readonly label: string }) {
  const command = label === 'Python' ? 'pip install ./clients/python # in the clone' : INSTALL_TYPESCRIPT;
  return <CodeBlock what={`installation of the ${label} client`} text={command} />;
}

function OverseasHint({ consoleUrl }: { readonly consoleUrl: string | null }) {
  return (
    <p className="muted">
      The overseas region has its own keys and project ids. Create them in{' '}
      {consoleUrl === null ? 'the overseas console' : <a href={consoleUrl}>the overseas console</a>}.
    </p>
  );
}

function Addresses({ data }: { readonly data: NonNullable<ReturnType<typeof useService>['data']> }) {
  const copyable = (address: string | null, what: string) =>
    address !== null && <CopyableId id={address} what={what} />;
  return (
    <section className="card">
      <h2>Addresses</h2>
      <FactList
        facts={[
          ['Region', data.region],
          ['Base address', copyable(data.base_url, 'base address')],
          ['Base address overseas', copyable(data.base_url_overseas, 'overseas base address')],
          ['Console', copyable(data.console_url, 'console address')],
          ['Console overseas', copyable(data.console_url_overseas, 'overseas console address')],
        ]}
      />
    </section>
  );
}
