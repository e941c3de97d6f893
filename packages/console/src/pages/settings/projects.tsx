import type { ProjectBody } from '@winnow/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { CopyableId } from '../../components/copy-button.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { Badge, Empty } from '../../components/feedback.tsx';
import { Field } from '../../components/field.tsx';
import { Modal } from '../../components/modal.tsx';
import { admin } from '../../lib/admin.ts';
import { formatTime } from '../../lib/format.ts';
import { PROJECTS_KEY, useProjects } from '../../lib/project.tsx';
import { useSession } from '../../lib/session.tsx';

export function ProjectSettings() {
  const { user } = useSession();
  const { data } = useProjects();
  const [editing, setEditing] = useState<ProjectBody | 'new'>();
  const isAdmin = user.role === 'admin';
  return (
    <section className="card flush">
      <div className="row-between">
        <h2>Projects</h2>
        {isAdmin && (
          <button type="button" className="button primary" onClick={() => setEditing('new')}>
            <Plus size={15} aria-hidden="true" /> Create a project
          </button>
        )}
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
  const archive = useMutation({
    mutationFn: ({ id, archived_at }: ProjectBody) => admin.updateProject(id, { archived: archived_at === null }),
    onSuccess: () => client.invalidateQueries({ queryKey: PROJECTS_KEY }),
  });
  return (
    <div className="table-wrap" tabIndex={0} role="group" aria-label="Projects">
      {archive.error && <ErrorNote error={archive.error} />}
      <table className="table cards">
        <thead>
          <tr>
            <th>Name</th>
            <th>Id</th>
            <th>Created</th>
            <th>State</th>
            <th>
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {projects.map((project) => (
            <tr key={project.id}>
              <td data-label="Name">{project.name}</td>
              <td data-label="Id">
                <CopyableId id={project.id} what={`id of ${project.name}`} />
              </td>
              <td data-label="Created" className="nowrap">
                {formatTime(project.created_at)}
              </td>
              <td data-label="State">
                {project.archived_at === null ? <Badge tone="good">active</Badge> : <Badge>archived</Badge>}
              </td>
              <td data-label="" className="actions">
                {onEdit && (
                  <span className="row">
                    <button
                      type="button"
                      className="button small"
                      aria-label={`Rename ${project.name}`}
                      onClick={() => onEdit(project)}
                    >
                      Rename
                    </button>
                    <button
                      type="button"
                      className="button small"
                      aria-label={`${project.archived_at === null ? 'Archive' : 'Bring back'} ${project.name}`}
                      disabled={archive.isPending}
                      onClick={() => archive.mutate(project)}
                    >
                      {project.archived_at === null ? 'Archive' : 'Bring back'}
                    </button>
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function NameForm({ project, onDone }: { readonly project: ProjectBody | 'new'; readonly onDone: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState(project === 'new' ? '' : project.name);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => (project === 'new' ? admin.createProject(name) : admin.updateProject(project.id, { name })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: PROJECTS_KEY });
      onDone();
    },
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <Field label="Name">
        {(props) => (
          <input {...props} className="input" required value={name} onChange={(event) => setName(event.target.value)} />
        )}
      </Field>
      {error && <ErrorNote error={error} />}
      <div className="actions">
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
        <button className="button primary" disabled={isPending}>
          {project === 'new' ? 'Create' : 'Rename'}
        </button>
      </div>
    </form>
  );
}
