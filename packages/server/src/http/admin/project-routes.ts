import type { FastifyInstance } from 'fastify';
import {
  createKey,
  createProject,
  listVisibleProjects,
  requireProject,
  revokeKey,
  updateProject,
} from '../../domain/accounts/projects.ts';
import { addOperation } from './add-operation.ts';
import { projectDeps } from './admin-deps.ts';
import type { AdminDeps } from './admin-deps.ts';
import { ADMIN_OPERATIONS } from '@winnow/contract';
import { presentKey, presentProject } from './present-admin.ts';

export function addProjectRoutes(app: FastifyInstance, deps: AdminDeps): void {
  const parts = projectDeps(deps);
  addOperation(app, deps, ADMIN_OPERATIONS.listProjects, async ({ request, signedIn }) => {
    const projects = await listVisibleProjects(parts, signedIn().user);
    return { request_id: request.id, items: projects.map(presentProject) };
  });
  addOperation(app, deps, ADMIN_OPERATIONS.createProject, async ({ request, body, signedIn }) => {
    const project = await createProject(parts, signedIn().user, body.name);
    return { request_id: request.id, project: presentProject(project) };
  });
  addOperation(app, deps, ADMIN_OPERATIONS.updateProject, async ({ request, body, param, signedIn }) => {
    const project = await updateProject(parts, signedIn().user, param('project_id'), body);
    return { request_id: request.id, project: presentProject(project) };
  });
  addOperation(app, deps, ADMIN_OPERATIONS.listKeys, async ({ request, param, signedIn }) => {
    const project = await requireProject(parts, signedIn().user, param('project_id'));
    const keys = await deps.keys.list(project.id);
    return { request_id: request.id, items: keys.map(presentKey) };
  });
  addOperation(app, deps, ADMIN_OPERATIONS.createKey, async ({ request, body, param, signedIn }) => {
    const { key, secret } = await createKey(
      parts,
      signedIn().user,
      param('project_id'),
      {
        name: body.name,
        kind: body.kind ?? 'project',
        expiresAt: body.expires_at ? new Date(body.expires_at) : null,
        quotaPerMinute: body.quota_per_minute ?? null,
      },
      deps.settings.quota.defaultPerMinute,
    );
    return { request_id: request.id, key: presentKey(key), secret };
  });
  addOperation(app, deps, ADMIN_OPERATIONS.revokeKey, async ({ request, param, signedIn }) => {
    const key = await revokeKey(parts, signedIn().user, param('project_id'), param('key_id'));
    return { request_id: request.id, key: presentKey(key) };
  });
}
