import type { BatchLine, DumpRequest, ExtractRequest, LoggedRequestDetail } from '@winnow/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { FlaskConical, RotateCw } from 'lucide-react';
import { Link, useLocation } from 'wouter';
import { Button } from '../components/controls/button.tsx';
import { CodeBlock } from '../components/data/code-block.tsx';
import { CopyableId } from '../components/controls/copy-button.tsx';
import { FactList } from '../components/data/fact-list.tsx';
import { Badge, Loading } from '../components/feedback/feedback.tsx';
import { FailedPage } from '../components/layout/failed-page.tsx';
import { PageHead } from '../components/layout/page-head.tsx';
import { TraceWaterfall } from '../components/data/trace-waterfall.tsx';
import { admin } from '../lib/admin.ts';
import { ADVICE } from '../lib/advice.ts';
import { formatMs, formatTime } from '../lib/format.ts';
import { useKeyNames } from '../lib/key-names.ts';
import { useProject } from '../lib/project.tsx';
import { Answer } from './playground/answer.tsx';
import { fromRecorded, lacksSecrets } from './playground/order.ts';
import type { Outcome } from './playground/use-run.ts';
import { OutcomeBadge } from './requests/outcome-badge.tsx';

export function RequestPage({ id }: { readonly id: string }) {
  const project = useProject();
  const { data, error } = useQuery({
    queryKey: ['request', project.id, id],
    queryFn: async () => (await admin.request(project.id, id)).request,
    staleTime: Infinity,
  });
  if (error) return <FailedPage title="Request" error={error} list="requests" />;
  return data ? <Found request={data} /> : <Loading what="the request" />;
}

function Found({ request }: { readonly request: LoggedRequestDetail }) {
  const project = useProject();
  const [, navigate] = useLocation();
  const order = fromRecorded(request.endpoint, request.request);
  const { mutate, data, isPending } = useMutation({ mutationFn: () => sendAgain(project.id, request) });
  const repeated: Outcome | undefined = isPending ? { kind: 'running', what: 'Sending the request again' } : data;
  return (
    <div className="stack">
      <PageHead
        title={`${request.method} ${request.endpoint}`}
        trail={[{ label: 'Requests', href: `/p/${project.id}/requests` }]}
        actions={
          order && (
            <>
              <Button
                icon={FlaskConical}
                label="Open in the playground"
                onClick={() => navigate(`/p/${project.id}/playground`, { state: order })}
              />
              {!lacksSecrets(order) && (
                <Button
                  look="primary"
                  icon={RotateCw}
                  label="Send again"
                  disabled={isPending}
                  onClick={() => mutate()}
                />
              )}
            </>
          )
        }
      />
      {order && lacksSecrets(order) && (
        <p className="note">
          The values of headers and cookies are not recorded: to send this request again, open it in the playground and
          enter them.
        </p>
      )}
      {repeated && (
        <section className="card" aria-label="Answer to the repeated request" aria-busy={isPending}>
          <h2>Answer to the repeated request</h2>
          <Answer outcome={repeated} />
        </section>
      )}
      <Facts request={request} />
      {request.error && <ErrorCard error={request.error} />}
      <section className="card">
        <h2>Trace</h2>
        {request.trace.length === 0 ? (
          <p className="muted">No stages recorded.</p>
        ) : (
          <TraceWaterfall steps={request.trace} />
        )}
      </section>
      <div className="columns">
        <section className="card stack-s">
          <h2>Request body</h2>
          {request.request === null ? (
            <p className="muted">Not recorded: the body was refused.</p>
          ) : (
            <CodeBlock wrap what="request body" text={JSON.stringify(request.request, null, 2)} />
          )}
        </section>
        <section className="card stack-s">
          <h2>Answer</h2>
          <RecordedAnswer request={request} />
        </section>
      </div>
    </div>
  );
}

/** Never rejects: a failure is an outcome to show. */
async function sendAgain(projectId: string, { endpoint, request }: LoggedRequestDetail): Promise<Outcome> {
  const isDump = endpoint === '/v1/dom/dump';
  try {
    if (isDump) return { kind: 'dumped', answer: await admin.dump(projectId, request as DumpRequest) };
    return { kind: 'extracted', answer: await admin.extract(projectId, request as ExtractRequest) };
  } catch (error) {
    return { kind: 'failed', error, during: isDump ? 'dump' : 'extract' };
  }
}

function Facts({ request }: { readonly request: LoggedRequestDetail }) {
  const project = useProject();
  const nameOfKey = useKeyNames();
  const { template_id: template, dom_id: domId } = request;
  const outcome = (
    <>
      <OutcomeBadge status={request.status} code={request.code} /> in {formatMs(request.elapsed_ms)}
    </>
  );
  return (
    <div className="card">
      <FactList
        facts={[
          ['Outcome', outcome],
          ['Request id', <CopyableId id={request.request_id} what="request id" />],
          ['Time', formatTime(request.at)],
          ['Key', <bdi>{nameOfKey(request)}</bdi>],
          ['URL', request.url],
          ['Engine', request.engine],
          [
            'Template',
            template?.startsWith('tpl_') ? (
              <Link href={`/p/${project.id}/templates/${template}`}>{template}</Link>
            ) : (
              template
            ),
          ],
          ['Snapshot', domId && <Link href={`/p/${project.id}/snapshots/${domId}`}>{domId}</Link>],
        ]}
      />
    </div>
  );
}

interface ErrorCardProps {
  readonly error: NonNullable<LoggedRequestDetail['error'] | BatchLine['error']>;
  readonly url?: string | undefined;
}

export function ErrorCard({ error, url }: ErrorCardProps) {
  const advice = ADVICE[error.code];
  return (
    <section className="card stack-s">
      <h2>Error</h2>
      <p>{error.message}</p>
      <div className="row">
        <Badge tone="bad">{error.code}</Badge>
        <Badge>stage {error.stage}</Badge>
        {error.upstream_status_code !== undefined && <Badge>site status {error.upstream_status_code}</Badge>}
      </div>
      {url !== undefined && <p className="mono small">{url}</p>}
      {advice !== undefined && <p>{advice}</p>}
    </section>
  );
}

function RecordedAnswer({ request: { answer, error } }: { readonly request: LoggedRequestDetail }) {
  if (answer === null) {
    return (
      <p className="muted">
        Not recorded. {error === null && 'The snapshot holds the page. '}
        Set <code>WINNOW_REQUEST_LOG=full</code> on the server to record answers.
      </p>
    );
  }
  return (
    <>
      {answer.truncated && <p className="muted">Only the start was recorded.</p>}
      <CodeBlock wrap what="recorded answer" text={formatJson(answer.text)} />
    </>
  );
}

function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
