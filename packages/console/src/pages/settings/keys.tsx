import type { CreateKeyResponse, KeyBody } from '@winnow/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FolderKey, KeyRound, Plus } from 'lucide-react';
import { useContext, useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../components/controls/button.tsx';
import { CodeBlock } from '../../components/data/code-block.tsx';
import { CopyableId } from '../../components/controls/copy-button.tsx';
import { ACTIONS, DataTable } from '../../components/data/data-table.tsx';
import { FactList } from '../../components/data/fact-list.tsx';
import { ErrorNote } from '../../components/feedback/error-note.tsx';
import { Badge, Empty, Loading } from '../../components/feedback/feedback.tsx';
import { Segments, TextField } from '../../components/form/field.tsx';
import { DialogForm } from '../../components/form/form.tsx';
import { AskingButton, Modal } from '../../components/controls/modal.tsx';
import { OneTimeSecret } from '../../components/form/one-time-secret.tsx';
import { admin } from '../../lib/admin.ts';
import { writeCurl } from '../../lib/examples.ts';
import { formatTime } from '../../lib/format.ts';
import { KEY_KINDS, useKeys, type KeyKind } from '../../lib/key-names.ts';
import { ProjectContext, useProject, useService } from '../../lib/project.tsx';
import { useSession } from '../../lib/session.tsx';
import { Time } from '../../components/data/time.tsx';

export function KeySettings() {
  const project = useContext(ProjectContext);
  if (!project) return <NoProject />;
  return <Keys key={project.id} />;
}

/** Only administrators create projects and add members to them. */
function NoProject() {
  const { user } = useSession();
  if (user.role === 'admin') {
    return (
      <Empty title="No project">
        Keys and requests belong to projects. <Link href="/settings/projects">Create a project</Link> first.
      </Empty>
    );
  }
  return (
    <Empty title="You are not a member of a project yet">
      Ask an administrator of this service to add {user.email} to one, in Settings › Members. Then reload this page.
    </Empty>
  );
}

function Keys() {
  const project = useProject();
  const [creating, setCreating] = useState(false);
  const { data, error } = useKeys();
  return (
    <div className="stack">
      <div className="card">
        <FactList
          facts={[
            ['Project', project.name],
            ['Project id', <CopyableId id={project.id} what="project id" />],
          ]}
        />
      </div>
      <section className="card flush">
        <div className="row-between">
          <h2>Keys</h2>
          <Button look="primary" icon={Plus} label="Create a key" onClick={() => setCreating(true)} />
        </div>
        {error && <ErrorNote error={error} />}
        {data === undefined && !error && <Loading what="the keys" />}
        {data?.length === 0 && <Empty title="No keys">Create one to call the service.</Empty>}
        {data && data.length > 0 && <KeyTable keys={data.toReversed()} />}
      </section>
      <CreateKey open={creating} onClose={() => setCreating(false)} />
    </div>
  );
}

function KeyTable({ keys }: { readonly keys: readonly KeyBody[] }) {
  return (
    <DataTable
      label="Keys"
      rows={keys}
      rowKey={({ id }) => id}
      columns={[
        { label: 'Name', className: 'name', cell: ({ name }) => name },
        { label: 'Key', className: 'mono', cell: ({ prefix }) => `${prefix}…` },
        { label: 'Kind', className: 'nowrap', cell: (key) => <KindBadge {...key} /> },
        { label: 'State', cell: (key) => <KeyState apiKey={key} /> },
        { label: 'Last use', className: 'nowrap', cell: (key) => <Time iso={key.last_used_at} absent="never" /> },
        {
          label: 'Quota',
          cell: (key) => (key.quota_per_minute === null ? 'default' : `${key.quota_per_minute}/min`),
        },
        { ...ACTIONS, cell: (key) => key.revoked_at === null && <RevokeKey apiKey={key} /> },
      ]}
    />
  );
}

function KindBadge({ kind, scope }: Pick<KeyBody, 'kind' | 'scope'>) {
  const Icon = kind === 'project' ? FolderKey : KeyRound;
  return (
    <Badge tone={kind === 'project' ? 'accent' : 'warn'}>
      <Icon size={13} aria-hidden="true" />{' '}
      {scope === 'mcp' ? 'Only /mcp' : kind === 'project' ? 'Project key' : 'Standalone key'}
    </Badge>
  );
}

function KeyState({ apiKey }: { readonly apiKey: KeyBody }) {
  if (apiKey.revoked_at !== null) return <Badge tone="bad">revoked</Badge>;
  if (apiKey.expires_at === null) return <Badge tone="good">active</Badge>;
  if (new Date(apiKey.expires_at) <= new Date()) return <Badge tone="bad">expired</Badge>;
  return <Badge tone="warn">until {formatTime(apiKey.expires_at)}</Badge>;
}

function RevokeKey({ apiKey: { id, name } }: { readonly apiKey: KeyBody }) {
  const project = useProject();
  const client = useQueryClient();
  return (
    <AskingButton
      look="small danger"
      label="Revoke"
      name={`Revoke ${name}`}
      title={`Revoke ${name}?`}
      action="Revoke"
      done={`The key ${name} is revoked`}
      run={() => admin.revokeKey(project.id, id)}
      onDone={() => void client.invalidateQueries({ queryKey: ['keys', project.id] })}
    >
      <p>Requests with this key are refused from now on. This cannot be undone.</p>
    </AskingButton>
  );
}

function CreateKey({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const client = useQueryClient();
  const project = useProject();
  const [created, setCreated] = useState<CreateKeyResponse>();
  const close = (): void => {
    setCreated(undefined);
    onClose();
  };
  const take = (answer: CreateKeyResponse): void => {
    setCreated(answer);
    void client.invalidateQueries({ queryKey: ['keys', project.id] });
  };
  return (
    <Modal open={open} onClose={close} title={created ? 'Copy the key now' : 'Create a key'}>
      {created ? <CreatedKey created={created} onClose={close} /> : <CreateForm onCreated={take} onClose={close} />}
    </Modal>
  );
}

interface CreateFormProps {
  readonly onCreated: (answer: CreateKeyResponse) => void;
  readonly onClose: () => void;
}

function CreateForm({ onCreated, onClose }: CreateFormProps) {
  const project = useProject();
  const { user } = useSession();
  const [name, setName] = useState('');
  const [kind, setKind] = useState<KeyKind>('project');
  const [expires, setExpires] = useState('');
  const [quota, setQuota] = useState('');
  const creating = useMutation({
    mutationFn: () =>
      admin.createKey(project.id, {
        name,
        kind,
        expires_at: expires === '' ? null : new Date(expires).toISOString(),
        quota_per_minute: quota === '' ? null : Number(quota),
      }),
    onSuccess: onCreated,
  });
  return (
    <DialogForm change={creating} submit="Create" onCancel={onClose}>
      <TextField
        label="Name"
        hint="A label to recognise the key by, for example “staging crawler”."
        required
        value={name}
        onChange={setName}
      />
      {user.role === 'admin' && (
        <div className="field">
          <span className="label">Kind</span>
          <div>
            <Segments label="Kind" value={kind} options={KEY_KINDS} onChange={setKind} />
          </div>
          <span className="muted small">
            {kind === 'project'
              ? 'Needs the X-Project-Id header of this project.'
              : 'Works without the X-Project-Id header.'}
          </span>
        </div>
      )}
      <TextField
        label="Expires"
        hint="Leave empty for no expiry."
        type="datetime-local"
        step={1}
        value={expires}
        onChange={setExpires}
      />
      <TextField
        label="Requests per minute"
        hint="Leave empty for the default limit."
        type="number"
        min={1}
        max={1_000_000}
        value={quota}
        onChange={setQuota}
      />
    </DialogForm>
  );
}

function CreatedKey({ created, onClose }: { readonly created: CreateKeyResponse; readonly onClose: () => void }) {
  const project = useProject();
  const service = useService();
  const curl = writeCurl(
    {
      baseUrl: service.data?.base_url ?? window.location.origin,
      apiKey: created.secret,
      projectId: created.key.kind === 'project' ? project.id : undefined,
    },
    '/v1/extract',
    { extract: { url: 'https://example.com/' } },
  );
  return (
    <OneTimeSecret
      secret={created.secret}
      what="key"
      warning="This is the only time that the key is shown."
      onClose={onClose}
    >
      <section className="stack-s">
        <h3>Try it</h3>
        <CodeBlock wrap what="call with this key" text={curl} />
      </section>
    </OneTimeSecret>
  );
}
