import { ID_PREFIXES } from '@winnow/contract';
import { hashKey, makeKey, type MadeKey } from '../keys/authenticate.ts';
import { AppError } from '../shared/errors.ts';
import { newId } from '../shared/new-id.ts';
import type { ApiKey, KeyRepository, Project, ProjectRepository } from '../keys/key-ports.ts';
import { recordAudit, type Actor } from './audit.ts';
import type { AccountDeps, User } from './ports.ts';

export interface ProjectDeps extends AccountDeps {
  readonly projects: ProjectRepository;
  readonly keys: KeyRepository;
}

/** @throws {AppError} `forbidden` */
export function requireAdmin(user: User): void {
  if (user.role !== 'admin') throw new AppError('forbidden', 'only administrators may do this');
}

/** @throws {AppError} `not_found`, also for invisible projects */
export async function requireProject(deps: ProjectDeps, user: User, projectId: string): Promise<Project> {
  const project = await deps.projects.find(projectId);
  const allowed = user.role === 'admin' || (await deps.users.listProjectIds(user.id)).includes(projectId);
  if (!project || !allowed) throw new AppError('not_found', 'no such project');
  return project;
}

export async function listVisibleProjects(deps: ProjectDeps, user: User): Promise<Project[]> {
  const projects = await deps.projects.list();
  if (user.role === 'admin') return projects;
  const ids = new Set(await deps.users.listProjectIds(user.id));
  return projects.filter(({ id }) => ids.has(id));
}

export async function createProject(deps: ProjectDeps, user: User, name: string): Promise<Project> {
  requireAdmin(user);
  return addProject(deps, user, name);
}

type StoreDeps = Pick<ProjectDeps, 'projects' | 'keys' | 'audit' | 'now'>;

/**
 * Creates a project without a permission check, as `addKey` and `endKey` do for keys.
 * @throws {AppError} `conflict` for the name of another project
 */
export async function addProject(deps: Omit<StoreDeps, 'keys'>, actor: Actor, name: string): Promise<Project> {
  await requireFreeName(deps.projects, name);
  const project = {
    id: newId(ID_PREFIXES.project),
    name,
    createdAt: deps.now?.() ?? new Date(),
    archivedAt: null,
  };
  await deps.projects.insert(project);
  await recordAudit(deps, actor, { action: 'project.create', projectId: project.id, target: name });
  return { ...project, learns: true };
}

/** Lists and menus show only names. Those of archived projects are free. */
async function requireFreeName(projects: ProjectRepository, name: string, ownId?: string): Promise<void> {
  const other = (await projects.list()).find((one) => one.name === name && one.archivedAt === null && one.id !== ownId);
  if (other !== undefined) throw new AppError('conflict', `name: the project ${other.id} has this name`);
}

/**
 * Applies the changes. An archived project rejects its keys and pauses its batches.
 * @throws {AppError} `conflict` for the name of another project
 */
export async function updateProject(
  deps: ProjectDeps,
  user: User,
  projectId: string,
  changes: {
    readonly name?: string | undefined;
    readonly archived?: boolean | undefined;
    readonly learns?: boolean | undefined;
  },
): Promise<Project> {
  requireAdmin(user);
  const project = await requireProject(deps, user, projectId);
  const now = deps.now?.() ?? new Date();
  const { name, archived, learns } = changes;
  if (name !== undefined && name !== project.name) await requireFreeName(deps.projects, name, projectId);
  await deps.projects.update(projectId, {
    ...(name === undefined ? {} : { name }),
    ...(learns === undefined ? {} : { learns }),
    ...(archived === undefined ? {} : { archivedAt: archived ? (project.archivedAt ?? now) : null }),
  });
  const updated = await requireProject(deps, user, projectId);
  await recordAudit(deps, user, { action: 'project.update', projectId, target: updated.name, detail: { ...changes } });
  return updated;
}

export type NewKey = Pick<ApiKey, 'name' | 'kind' | 'expiresAt' | 'quotaPerMinute'> &
  Partial<Pick<ApiKey, 'id' | 'scope'>>;

/**
 * Returns the key and its secret, which is not stored.
 * @param quotaCap limit for members, per minute; 0: unlimited
 */
export async function createKey(
  deps: ProjectDeps,
  user: User,
  projectId: string,
  fields: NewKey,
  quotaCap = 0,
): Promise<MadeKey> {
  const project = await requireProject(deps, user, projectId);
  if (fields.kind === 'key_only') requireAdmin(user);
  if (user.role !== 'admin' && quotaCap > 0 && (fields.quotaPerMinute ?? 0) > quotaCap) {
    throw new AppError(
      'invalid_request',
      `quota_per_minute: members may give at most ${quotaCap} (WINNOW_QUOTA_PER_MINUTE)`,
    );
  }
  return addKey(deps, user, project, fields);
}

/** Per project; revoked and expired keys do not count. */
export const MAX_KEYS = 500;

/** @throws {AppError} `conflict` for an archived project, or one with {@link MAX_KEYS} keys */
export async function addKey(
  deps: Omit<StoreDeps, 'projects'>,
  actor: Actor,
  project: Project,
  fields: NewKey,
): Promise<MadeKey> {
  if (project.archivedAt !== null) throw new AppError('conflict', 'the project is archived');
  const now = deps.now?.() ?? new Date();
  if (fields.expiresAt !== null && fields.expiresAt <= now) {
    throw new AppError('invalid_request', 'expires_at: must be in the future');
  }
  const usable = (await deps.keys.list(project.id)).filter(
    ({ revokedAt, expiresAt }) => revokedAt === null && (expiresAt === null || expiresAt > now),
  );
  if (usable.length >= MAX_KEYS)
    throw new AppError('conflict', `the project has ${MAX_KEYS} keys already: revoke one first`);
  const { key, secret } = makeKey({ ...fields, projectId: project.id }, now);
  await deps.keys.insert(key, hashKey(secret));
  const detail = { kind: key.kind, prefix: key.prefix, expiresAt: key.expiresAt, quotaPerMinute: key.quotaPerMinute };
  await recordAudit(deps, actor, { action: 'key.create', projectId: project.id, target: key.name, detail });
  return { key, secret };
}

export async function revokeKey(deps: ProjectDeps, user: User, projectId: string, keyId: string): Promise<ApiKey> {
  await requireProject(deps, user, projectId);
  const key = (await deps.keys.list(projectId)).find(({ id }) => id === keyId);
  if (!key) throw new AppError('not_found', 'no such key');
  if (key.kind === 'key_only') requireAdmin(user);
  return endKey(deps, user, key);
}

export async function endKey(deps: Omit<StoreDeps, 'projects'>, actor: Actor, key: ApiKey): Promise<ApiKey> {
  const now = deps.now?.() ?? new Date();
  await deps.keys.revoke(key.id, now);
  const { projectId, name: target, prefix } = key;
  await recordAudit(deps, actor, { action: 'key.revoke', projectId, target, detail: { prefix } });
  return { ...key, revokedAt: key.revokedAt ?? now };
}
