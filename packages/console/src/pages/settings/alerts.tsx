import type { AlertResponse } from '@winnow/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useContext, useState } from 'react';
import { Button } from '../../components/controls/button.tsx';
import { CopyButton } from '../../components/controls/copy-button.tsx';
import { AskingButton } from '../../components/controls/modal.tsx';
import { FactList } from '../../components/data/fact-list.tsx';
import { Time } from '../../components/data/time.tsx';
import { ErrorNote } from '../../components/feedback/error-note.tsx';
import { Badge, Empty, Loading, Note } from '../../components/feedback/feedback.tsx';
import { notify } from '../../components/feedback/toasts.tsx';
import { CheckField, TextField } from '../../components/form/field.tsx';
import { Form, SubmitRow } from '../../components/form/form.tsx';
import { admin } from '../../lib/admin.ts';
import { ProjectContext, useProject } from '../../lib/project.tsx';
import { useUnsavedWork } from '../../lib/unsaved-work.ts';

type Alert = NonNullable<AlertResponse['alert']>;

export function AlertSettings() {
  const project = useContext(ProjectContext);
  if (!project) return <Empty title="No project">Alerts belong to projects.</Empty>;
  return <Alerts key={project.id} />;
}

function Alerts() {
  const project = useProject();
  const { data, error } = useQuery({
    queryKey: ['alert', project.id],
    queryFn: async () => (await admin.alert(project.id)).alert,
    // What holds changes with the traffic.
    refetchInterval: 30_000,
  });
  if (data === undefined) return error ? <ErrorNote error={error} /> : <Loading what="the alerts" />;
  return (
    <div className="columns">
      <section className="card stack-s">
        <h2>Alerts of {project.name}</h2>
        <p className="muted small">
          A signed call when too many requests and pages of batches fail, or when a template no longer fits its site;
          another one when that is over.
        </p>
        <AlertForm key={data?.changed_at ?? 'none'} alert={data} />
      </section>
      {data && <AlertState alert={data} />}
    </div>
  );
}

function AlertForm({ alert }: { readonly alert: Alert | null }) {
  const project = useProject();
  const client = useQueryClient();
  const before = {
    url: alert?.url ?? '',
    secret: '',
    percent: alert ? writePercent(alert.error_rate) : '20',
    fillRates: alert?.fill_rates ?? true,
  };
  const [draft, setDraft] = useState(before);
  useUnsavedWork(JSON.stringify(draft) !== JSON.stringify(before));
  const change = (part: Partial<typeof draft>): void => setDraft({ ...draft, ...part });
  const { mutate, error, isPending } = useMutation({
    mutationFn: () =>
      admin.putAlert(project.id, {
        url: draft.url,
        ...(draft.secret === '' ? {} : { secret: draft.secret }),
        error_rate: draft.percent === '' ? null : Number(draft.percent) / 100,
        fill_rates: draft.fillRates,
      }),
    onSuccess: ({ alert: saved }) => {
      client.setQueryData(['alert', project.id], saved);
      notify('The alerts are saved');
    },
  });
  return (
    <Form onSubmit={mutate} error={error} actions={<SubmitRow label="Save" busy={isPending} />}>
      <TextField
        label="Webhook"
        type="url"
        required
        placeholder="https://example.org/hooks/winnow"
        value={draft.url}
        onChange={(url) => change({ url })}
      />
      <div className="row">
        <div className="grow">
          <TextField
            label="Secret"
            hint={
              alert
                ? 'Leave empty to keep the one before.'
                : 'Signs the calls. Copy it to the receiver now: it is not shown again.'
            }
            className="mono"
            required={alert === null}
            placeholder="whsec_…"
            autoComplete="off"
            value={draft.secret}
            onChange={(secret) => change({ secret: secret.trim() })}
          />
        </div>
        {draft.secret === '' ? (
          <Button label="Make one" onClick={() => change({ secret: makeSecret() })} />
        ) : (
          <CopyButton text={draft.secret} what="secret" />
        )}
      </div>
      <TextField
        label="Failed requests, in %"
        hint="Of 15 minutes, from 20 requests on. Empty: not watched."
        type="number"
        min={0.1}
        max={100}
        step={0.1}
        value={draft.percent}
        onChange={(percent) => change({ percent })}
      />
      <CheckField
        label="Templates that no longer fit their sites"
        checked={draft.fillRates}
        onChange={(fillRates) => change({ fillRates })}
      />
    </Form>
  );
}

function writePercent(share: number | null): string {
  return share === null ? '' : String(Math.round(share * 1000) / 10);
}

function AlertState({ alert }: { readonly alert: Alert }) {
  const project = useProject();
  const client = useQueryClient();
  const test = useMutation({
    mutationFn: () => admin.testAlert(project.id),
    onSuccess: ({ refused }) => {
      if (refused === null) notify('The receiver accepted the call');
    },
  });
  const refused = test.data?.refused ?? null;
  return (
    <section className="card stack-s" aria-label="State of the alerts">
      <h2>State</h2>
      <FactList
        facts={[
          [
            'Holds now',
            alert.active.length === 0
              ? 'nothing'
              : alert.active.map((name) => (
                  <Badge key={name} tone="bad">
                    {name}
                  </Badge>
                )),
          ],
          ['Changed', <Time iso={alert.changed_at} />],
          ['Last call refused', alert.last_error],
        ]}
      />
      {test.error && <ErrorNote error={test.error} />}
      {refused !== null && <Note tone="bad">The receiver did not accept the call: {refused}</Note>}
      <div className="row">
        <Button label="Send a test call" disabled={test.isPending} onClick={() => test.mutate()} />
        <AskingButton
          look="danger"
          label="End the alerts"
          title="End the alerts of this project?"
          action="End the alerts"
          done="The alerts have ended"
          run={() => admin.deleteAlert(project.id)}
          onDone={() => client.setQueryData(['alert', project.id], null)}
        >
          <p>The webhook is no longer called. Its address and its secret are removed.</p>
        </AskingButton>
      </div>
    </section>
  );
}

/** In the form of standardwebhooks.com. */
function makeSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;
}
