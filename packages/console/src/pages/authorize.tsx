import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../components/controls/button.tsx';
import { EntryCard } from '../components/layout/entry-card.tsx';
import { Waiting } from '../components/layout/waiting.tsx';
import { ChoiceField } from '../components/form/field.tsx';
import { Form } from '../components/form/form.tsx';
import { admin } from '../lib/admin.ts';
import { useLastProject } from '../lib/last-project.ts';
import { useProjects } from '../lib/project.tsx';

/** Characters: an address may have more, and say anything. */
const MAX_NAME = 100;

/** Asks the user whether an assistant may use a project, and sends the browser back to the assistant. */
export function Authorize() {
  const [query] = useState(() => new URLSearchParams(window.location.search));
  const { data, error, refetch } = useProjects();
  const last = useLastProject();
  const [chosen, setChosen] = useState<string>();
  const projects = data?.filter(({ archived_at }) => archived_at === null) ?? [];
  const project = chosen ?? projects.find(({ id }) => id === last)?.id ?? projects[0]?.id ?? '';
  const redirect = query.get('redirect_uri') ?? '';
  const state = query.get('state');
  const decide = useMutation({
    mutationFn: (approved: boolean) =>
      admin.authorizeClient(project, {
        client_id: query.get('client_id') ?? '',
        redirect_uri: redirect,
        code_challenge: query.get('code_challenge') ?? '',
        approved,
        ...(state === null ? {} : { state }),
      }),
    onSuccess: ({ redirect_to: target }) => window.location.assign(target),
  });
  if (data === undefined) return <Waiting what="the projects" error={error} onRetry={refetch} />;
  const name = (query.get('client_name') ?? 'An assistant').slice(0, MAX_NAME);
  return (
    <EntryCard title="Let an assistant in?">
      <Form
        onSubmit={() => decide.mutate(true)}
        error={decide.error}
        actions={
          <div className="row">
            <Button submits look="primary" label="Allow" disabled={project === '' || decide.isPending} />
            <Button label="Deny" disabled={project === '' || decide.isPending} onClick={() => decide.mutate(false)} />
          </div>
        }
      >
        <p>
          A program that calls itself <strong dir="auto">{name}</strong> asks to read web pages with this service. You
          are sent back to <strong className="mono">{targetOf(redirect)}</strong>.
        </p>
        <ChoiceField
          label="Project"
          value={project}
          onChange={setChosen}
          choices={projects.map((one) => ({ value: one.id, label: one.name }))}
        />
        <p className="muted small">
          It gets a key of this project for <code>/mcp</code> for 90 days, which you can revoke in the settings. Allow
          it only if you have just connected it yourself.
        </p>
      </Form>
    </EntryCard>
  );
}

/** Names where the browser is sent: the host of a web page, and the scheme of an application, whose host says nothing. */
function targetOf(address: string): string {
  const url = URL.parse(address);
  if (url === null) return address;
  return /^https?:$/.test(url.protocol) ? url.host : `the application of ${url.protocol}`;
}
