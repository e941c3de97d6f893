import type { Role } from '@winnow/contract';
import { AppError } from '../shared/errors.ts';
import { recordAudit, type Actor } from './audit.ts';
import type { AccountDeps, User, UserChanges } from './ports.ts';

export interface MemberChanges {
  readonly role?: Role | undefined;
  readonly projectIds?: readonly string[] | undefined;
  readonly disabled?: boolean | undefined;
}

/** @throws {AppError} `not_found` */
export async function requireUser(deps: AccountDeps, id: string): Promise<User> {
  const user = await deps.users.find(id);
  if (!user) throw new AppError('not_found', 'no such member');
  return user;
}

/**
 * Updates a member; disabling it or changing its role ends its sessions.
 * @throws {AppError} `conflict` for the last administrator
 */
export async function updateMember(deps: AccountDeps, actor: Actor, id: string, changes: MemberChanges): Promise<User> {
  const user = await requireUser(deps, id);
  await writeChanges(deps, user, changes);
  if (changes.projectIds !== undefined) await deps.users.setProjectIds(id, changes.projectIds);
  const changesRole = changes.role !== undefined && changes.role !== user.role;
  if (changesRole || changes.disabled === true) await deps.sessions.deleteOfUser(id);
  await recordAudit(deps, actor, { action: 'member.update', target: user.email, detail: { ...changes } });
  return requireUser(deps, id);
}

async function writeChanges(deps: AccountDeps, user: User, { role, disabled }: MemberChanges): Promise<void> {
  if (role === undefined && disabled === undefined) return;
  const now = deps.now?.() ?? new Date();
  const changes: UserChanges = {
    ...(role === undefined ? {} : { role }),
    ...(disabled === undefined ? {} : { disabledAt: disabled ? (user.disabledAt ?? now) : null }),
  };
  const mayTakeAdmin = disabled === true || (role !== undefined && role !== 'admin');
  if (!mayTakeAdmin) await deps.users.update(user.id, changes);
  else if (!(await deps.users.updateUnlessLastAdmin(user.id, changes)))
    throw new AppError('conflict', 'this is the last administrator');
}

export function isActiveAdmin({ role, disabledAt }: Pick<User, 'role' | 'disabledAt'>): boolean {
  return role === 'admin' && disabledAt === null;
}
