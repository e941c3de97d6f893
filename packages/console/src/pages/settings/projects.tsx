import type { ProjectBody, UpdateProjectRequest } from '@winnow/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../components/controls/button.tsx';
import { CopyableId } from '../../components/controls/copy-button.tsx';
import { ACTIONS, DataTable } from '../../components/data/data-table.tsx';
import { ErrorNote } from '../../components/feedback/error-note.tsx';
import { Badge, Empty } from '../../components/feedback/feedback.tsx';
import { notify } from '../../components/feedback/toasts.tsx';
import { TextField } from '../../components/form/field.tsx';
import { DialogForm } from '../../components/form/form.tsx';
import { AskingButton, Modal } from '../../components/controls/modal.tsx';
import { admin } from '../../lib/admin.ts';
import { PROJECTS_KEY, useProjects } from '../../lib/project.tsx';
import { useSession } from '../../lib/session.tsx';
import { Time } from '../../components/data/time.tsx';

export function ProjectSettings() {
  const { user } = useSession();
  const { data } = useProjects();
  const [editing, setEditing] = useState<ProjectBody | 'new'>();
  const isAdmin = user.role === 'admin';
  return (
    <section className="card flush">
      <div className="row-between">
        <h2>Projects</h2>
        {isAdmin && <Button look="primary" icon={Plus} label="Create a project" onClick={() => setEditing('new')} />}
      </div>
      {data && data.length > 0 ? (
        <ProjectTable projects={data} onEdit={isAdmin ? setEditing : undefined} />
      ) : (
        <Empty title="No projects">{isAdmin ? 'Create the first one.' : 'An administrator can add you to one.'}</Empty>
      )}
      <Modal
        open={editing !== undefined}
        onClose={() => setEditing(undefined)}
        title={editing === 'new' ? 'Create a project' : 'Rename the project'}
      >
        {editing && <NameForm project={editing} onDone={() => setEditing(undefined)} />}
      </Modal>
    </section>
  );
}

interface ProjectTableProps {
  readonly projects: readonly ProjectBody[];
  readonly onEdit: ((project: ProjectBody) => void) | undefined;
}

function ProjectTable({ projects, onEdit }: ProjectTableProps) {
  const client = useQueryClient();
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: PROJECTS_KEY });
  const change = useMutation({
    mutationFn: ({ id, ...changes }: UpdateProjectRequest & Pick<ProjectBody, 'id'>) =>
      admin.updateProject(id, changes),
    onSuccess: async ({ project }, { archived }) => {
      await refresh();
      notify(archived === undefined ? describeLearning(project) : describeReturn(project));
    },
  });
  const bringBack = async ({ id }: ProjectBody): Promise<void> => {
    await admin.updateProject(id, { archived: false });
    await refresh();
  };
  return (
    <>
      {change.error && <ErrorNote error={change.error} />}
      <DataTable
        label="Projects"
        rows={projects}
        rowKey={({ id }) => id}
        columns={[
          { label: 'Name', className: 'name', cell: ({ name }) => name },
          { label: 'Id', cell: ({ id, name }) => <CopyableId id={id} what={`id of ${name}`} /> },
          { label: 'Created', className: 'nowrap', cell: ({ created_at }) => <Time iso={created_at} /> },
          {
            label: 'State',
            cell: ({ archived_at }) =>
              archived_at === null ? <Badge tone="good">active</Badge> : <Badge>archived</Badge>,
          },
          {
            label: 'Learn from traffic',
            cell: ({ id, name, learns }) =>
              onEdit ? (
                <input
                  type="checkbox"
                  aria-label={`${name} learns from traffic`}
                  title="Pages help to extract other pages of their sites"
                  checked={learns}
                  disabled={change.isPending}
                  onChange={() => change.mutate({ id, learns: !learns })}
                />
              ) : learns ? (
                'on'
              ) : (
                'off'
              ),
          },
          {
            ...ACTIONS,
            cell: (project) =>
              onEdit && (
                <span className="row">
                  <Button
                    look="small"
                    label="Rename"
                    aria-label={`Rename ${project.name}`}
                    onClick={() => onEdit(project)}
                  />
                  {project.archived_at === null ? (
                    <AskingButton
                      look="small"
                      label="Archive"
                      name={`Archive ${project.name}`}
                      title={`Archive ${project.name}?`}
                      action="Archive"
                      done={`${project.name} is archived`}
                      undo={{ run: () => bringBack(project), done: describeReturn(project) }}
                      run={() => admin.updateProject(project.id, { archived: true })}
                      onDone={() => void refresh()}
                    >
                      <p>
                        Its keys are refused from now on, and its batches wait until their retention has passed. Nothing
                        else is removed. You can bring the project back at any time; its keys then work again.
                      </p>
                    </AskingButton>
                  ) : (
                    <Button
                      look="small"
                      label="Bring back"
                      aria-label={`Bring back ${project.name}`}
                      disabled={change.isPending}
                      onClick={() => change.mutate({ id: project.id, archived: false })}
                    />
                  )}
                </span>
              ),
          },
        ]}
      />
    </>
  );
}

function describeReturn({ name }: ProjectBody): string {
  return `${name} is back`;
}

function describeLearning({ name, learns }: ProjectBody): string {
  return learns ? `${name} learns from its traffic` : `${name} no longer learns from its traffic`;
}

function NameForm({ project, onDone }: { readonly project: ProjectBody | 'new'; readonly onDone: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState(project === 'new' ? '' : project.name);
  const saving = useMutation({
    mutationFn: () => (project === 'new' ? admin.createProject(name) : admin.updateProject(project.id, { name })),
    onSuccess: async ({ project: saved }) => {
      await client.invalidateQueries({ queryKey: PROJECTS_KEY });
      notify(`${saved.name} is ${project === 'new' ? 'created' : 'renamed'}`);
      onDone();
    },
  });
  return (
    <DialogForm change={saving} submit={project === 'new' ? 'Create' : 'Rename'} onCancel={onDone}>
      <TextField label="Name" required value={name} onChange={setName} />
    </DialogForm>
  );
}
