import type { Member, MemberList, OneTimeLinkResponse, Role } from '@winnow/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../components/controls/button.tsx';
import { ACTIONS, DataTable } from '../../components/data/data-table.tsx';
import { ErrorNote } from '../../components/feedback/error-note.tsx';
import { Badge, Loading, Note } from '../../components/feedback/feedback.tsx';
import { notify } from '../../components/feedback/toasts.tsx';
import { CheckField, Segments, TextField } from '../../components/form/field.tsx';
import { DialogForm } from '../../components/form/form.tsx';
import { AskingButton, Modal } from '../../components/controls/modal.tsx';
import { OneTimeSecret } from '../../components/form/one-time-secret.tsx';
import { admin } from '../../lib/admin.ts';
import { formatTime } from '../../lib/format.ts';
import { useProjects } from '../../lib/project.tsx';
import { Time } from '../../components/data/time.tsx';

const MEMBERS_KEY = ['members'];

type Open =
  | { readonly kind: 'invite' }
  | { readonly kind: 'edit'; readonly member: Member }
  | { readonly kind: 'link'; readonly link: OneTimeLinkResponse };

export function MemberSettings() {
  const { data, error } = useQuery({ queryKey: MEMBERS_KEY, queryFn: () => admin.members() });
  const [open, setOpen] = useState<Open>();
  const close = (): void => setOpen(undefined);
  if (error) return <ErrorNote error={error} />;
  if (!data) return <Loading what="the members" />;
  return (
    <div className="stack">
      <section className="card flush">
        <div className="row-between">
          <h2>Members</h2>
          <Button look="primary" icon={Plus} label="Invite" onClick={() => setOpen({ kind: 'invite' })} />
        </div>
        <MemberTable members={data.items} onEdit={(member) => setOpen({ kind: 'edit', member })} />
      </section>
      {data.invitations.length > 0 && <Invitations invitations={data.invitations} />}
      <Modal open={open?.kind === 'invite'} onClose={close} title="Invite somebody">
        <InviteForm onCreated={(link) => setOpen({ kind: 'link', link })} onClose={close} />
      </Modal>
      <Modal open={open?.kind === 'edit'} onClose={close} title={open?.kind === 'edit' ? open.member.email : ''}>
        {open?.kind === 'edit' && (
          <EditForm member={open.member} onLink={(link) => setOpen({ kind: 'link', link })} onClose={close} />
        )}
      </Modal>
      <Modal open={open?.kind === 'link'} onClose={close} title="Send this link to the person">
        {open?.kind === 'link' && (
          <OneTimeSecret
            secret={open.link.url}
            what="link"
            warning={`It works once, until ${formatTime(open.link.expires_at)}, and is shown only here.`}
            onClose={close}
          />
        )}
      </Modal>
    </div>
  );
}

interface MemberTableProps {
  readonly members: readonly Member[];
  readonly onEdit: (member: Member) => void;
}

function MemberTable({ members, onEdit }: MemberTableProps) {
  const { data: projects = [] } = useProjects();
  const names = (ids: readonly string[]): string =>
    ids.map((id) => projects.find((project) => project.id === id)?.name ?? id).join(', ');
  return (
    <DataTable
      label="Members"
      rows={members}
      rowKey={({ id }) => id}
      columns={[
        {
          label: 'E-mail',
          className: 'name',
          cell: ({ email, disabled_at }) => (
            <>
              {email} {disabled_at !== null && <Badge tone="bad">disabled</Badge>}
            </>
          ),
        },
        {
          label: 'Role',
          cell: ({ role }) => (role === 'admin' ? <Badge tone="accent">administrator</Badge> : 'member'),
        },
        {
          label: 'Projects',
          cell: (member) => (member.role === 'admin' ? 'all' : names(member.project_ids) || 'none'),
        },
        {
          label: 'Last seen',
          className: 'nowrap',
          cell: (member) => <Time iso={member.last_seen_at} absent="never" />,
        },
        {
          ...ACTIONS,
          cell: (member) => (
            <Button look="small" label="Edit" aria-label={`Edit ${member.email}`} onClick={() => onEdit(member)} />
          ),
        },
      ]}
    />
  );
}

function Invitations({ invitations }: Pick<MemberList, 'invitations'>) {
  const client = useQueryClient();
  return (
    <section className="card flush">
      <h2>Open links</h2>
      <DataTable
        label="Open links"
        rows={invitations}
        rowKey={({ id }) => id}
        columns={[
          { label: 'E-mail', className: 'name', cell: ({ email }) => email },
          { label: 'For', cell: ({ kind, role }) => (kind === 'reset' ? 'a new password' : `joining as ${role}`) },
          { label: 'Until', className: 'nowrap', cell: ({ expires_at }) => <Time iso={expires_at} /> },
          {
            ...ACTIONS,
            cell: ({ id, email }) => (
              <AskingButton
                look="small danger"
                label="Withdraw"
                name={`Withdraw the link for ${email}`}
                title={`Withdraw the link for ${email}?`}
                action="Withdraw"
                done="The link is withdrawn"
                run={() => admin.withdrawInvitation(id)}
                onDone={() => void client.invalidateQueries({ queryKey: MEMBERS_KEY })}
              >
                <p>The link stops working. This cannot be undone, but you can create another one.</p>
              </AskingButton>
            ),
          },
        ]}
      />
    </section>
  );
}

const ROLES = [
  { value: 'member', label: 'Member' },
  { value: 'admin', label: 'Administrator' },
] as const;

interface AccessFieldsProps {
  readonly role: Role;
  readonly projectIds: readonly string[];
  readonly onRole: (role: Role) => void;
  readonly onProjects: (ids: string[]) => void;
}

function AccessFields({ role, projectIds, onRole, onProjects }: AccessFieldsProps) {
  const { data: projects = [] } = useProjects();
  return (
    <>
      <div className="field">
        <span className="label">Role</span>
        <div>
          <Segments label="Role" value={role} options={ROLES} onChange={onRole} />
        </div>
      </div>
      {role === 'member' && (
        <fieldset className="plain stack-s">
          <legend className="label">Projects</legend>
          {projects.map(({ id, name }) => (
            <CheckField
              key={id}
              label={name}
              checked={projectIds.includes(id)}
              onChange={(on) => onProjects([...projectIds.filter((one) => one !== id), ...(on ? [id] : [])])}
            />
          ))}
          {projectIds.length === 0 && <Note>Without a project, a member sees nothing but their account.</Note>}
        </fieldset>
      )}
    </>
  );
}

interface FormProps {
  readonly onClose: () => void;
}

function InviteForm({ onCreated, onClose }: FormProps & { readonly onCreated: (link: OneTimeLinkResponse) => void }) {
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const [projectIds, setProjectIds] = useState<string[]>([]);
  const inviting = useMutation({
    mutationFn: () => admin.invite({ email, role, project_ids: projectIds }),
    onSuccess: (link) => {
      void client.invalidateQueries({ queryKey: MEMBERS_KEY });
      onCreated(link);
    },
  });
  return (
    <DialogForm change={inviting} submit="Create the link" onCancel={onClose}>
      <TextField label="E-mail" type="email" required value={email} onChange={setEmail} />
      <AccessFields role={role} projectIds={projectIds} onRole={setRole} onProjects={setProjectIds} />
    </DialogForm>
  );
}

interface EditFormProps extends FormProps {
  readonly member: Member;
  readonly onLink: (link: OneTimeLinkResponse) => void;
}

function EditForm({ member, onLink, onClose }: EditFormProps) {
  const client = useQueryClient();
  const [role, setRole] = useState<Role>(member.role);
  const [projectIds, setProjectIds] = useState<string[]>(member.project_ids);
  const [disabled, setDisabled] = useState(member.disabled_at !== null);
  const save = useMutation({
    mutationFn: () => admin.updateMember(member.id, { role, project_ids: projectIds, disabled }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: MEMBERS_KEY });
      notify(`${member.email} is saved`);
      onClose();
    },
  });
  const reset = useMutation({ mutationFn: () => admin.createResetLink(member.id), onSuccess: onLink });
  return (
    <DialogForm
      change={save}
      submit="Save"
      onCancel={onClose}
      more={
        <Button
          look="quiet"
          label="Link for a new password"
          disabled={reset.isPending}
          onClick={() => reset.mutate()}
        />
      }
    >
      <AccessFields role={role} projectIds={projectIds} onRole={setRole} onProjects={setProjectIds} />
      <CheckField label="Disabled: cannot sign in" checked={disabled} onChange={setDisabled} />
      {reset.error && <ErrorNote error={reset.error} />}
    </DialogForm>
  );
}
