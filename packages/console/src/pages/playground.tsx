import { WinnowApiError } from '@winnow/client';
import { useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { CopyButton } from '../components/controls/copy-button.tsx';
import { TabSet } from '../components/controls/tab-set.tsx';
import { CodeBlock } from '../components/data/code-block.tsx';
import { Segments } from '../components/form/field.tsx';
import { PageHead } from '../components/layout/page-head.tsx';
import { basePath } from '../lib/base-path.ts';
import { KEY_PLACE, writeCalls } from '../lib/examples.ts';
import { KEY_KINDS } from '../lib/key-names.ts';
import { useProject, useService } from '../lib/project.tsx';
import { Answer } from './playground/answer.tsx';
import { CallFlow } from './playground/call-flow.tsx';
import { OrderForm } from './playground/order-form.tsx';
import { readOrder, toExtractRequest, writeOrder, type Order } from './playground/order.ts';
import { useRun, type FlowStep } from './playground/use-run.ts';

interface OrderProps {
  readonly order: Order;
  readonly onChange: (part: Partial<Order>) => void;
}

export function Playground() {
  const project = useProject();
  const [location, navigate] = useLocation();
  const search = useSearch();
  const kept = useHistoryState<Partial<Order> | null>();
  const [order, setOrder] = useState<Order>(() => ({ ...readOrder(new URLSearchParams(search)), ...kept }));
  const change = (part: Partial<Order>): void => setOrder((before) => ({ ...before, ...part }));
  // Keeps the form in the address and in the browser's history, so that going back from a snapshot or the sign-in restores it.
  const keep = (): void => {
    const query = writeOrder(order).toString();
    navigate(query === '' ? location : `${location}?${query}`, { replace: true, state: order });
  };
  return <Trial key={project.id} order={order} onChange={change} onAsk={keep} />;
}

/** The form and its answer in one project; another project keeps the form only. */
function Trial({ order, onChange: change, onAsk }: OrderProps & { readonly onAsk: () => void }) {
  const project = useProject();
  const run = useRun(project.id, order);
  const follow = (step: FlowStep): void => {
    onAsk();
    void run.follow(order, step);
  };
  const busy = run.outcome.kind === 'running';
  // A request that is refused as it is written fetches nothing, so that the steps would all be refused, too.
  const isRefused = run.outcome.kind === 'failed' && isRefusal(run.outcome.error);
  const troubled = Object.values(run.history).includes('failed') && !isRefused;
  return (
    <>
      <PageHead title="Playground">
        <p>
          Try the API on any page (project “<bdi>{project.name}</bdi>”).
        </p>
      </PageHead>
      <div className="split">
        <OrderForm
          order={order}
          busy={busy}
          onChange={change}
          onRun={() => {
            onAsk();
            void run.extract(order);
          }}
          onDump={() => follow('dump')}
          onStop={run.stop}
        />
        <div className="stack">
          <RequestCard order={order} onChange={change} />
          <section className="card" aria-label="Answer" aria-busy={busy}>
            <Answer outcome={run.outcome} />
          </section>
          {troubled && (
            <CallFlow history={run.history} hasSnapshot={run.domId !== undefined} busy={busy} onStep={follow} />
          )}
        </div>
      </div>
    </>
  );
}

function isRefusal(error: unknown): boolean {
  return error instanceof WinnowApiError && error.stage === 'request' && !error.retryable;
}

function RequestCard({ order, onChange }: OrderProps) {
  const project = useProject();
  const service = useService();
  const target = {
    baseUrl: service.data?.base_url ?? window.location.origin,
    apiKey: KEY_PLACE,
    projectId: order.isStandalone ? undefined : project.id,
    cacheControl: order.source === 'snapshot' || order.cacheControl === '' ? undefined : order.cacheControl,
  };
  const shown = order.url === '' ? { ...order, url: 'https://example.com/' } : order;
  const { workflow, ...body } = toExtractRequest(shown);
  // Project keys cannot set the limits of stages.
  const calls = writeCalls(target, '/v1/extract', order.isStandalone && workflow ? { ...body, workflow } : body);
  const address = `${window.location.origin}${basePath}/console/p/${project.id}/playground?${writeOrder(order).toString()}`;
  return (
    <section className="card stack-s">
      <div className="row-between">
        <h2>Request</h2>
        <div className="row">
          <CopyButton text={address} what="link to this form" label="Copy link" />
          <Segments
            label="Kind of key"
            value={order.isStandalone ? 'key_only' : 'project'}
            options={KEY_KINDS}
            onChange={(kind) => onChange({ isStandalone: kind === 'key_only' })}
          />
        </div>
      </div>
      <TabSet
        label="Language"
        tabs={calls.map(({ label, source }) => ({
          value: label,
          label,
          content: () => <CodeBlock what={`request as ${label}`} text={source} />,
        }))}
      />
    </section>
  );
}
