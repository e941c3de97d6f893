import type { Role } from '@winnow/contract';
import { AppError } from '../errors.ts';
import { recordAudit } from './audit.ts';
import type { Actor } from './audit.ts';
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
 * Changes role, projects or state of a member. Whoever is disabled or changes role is signed out.
 * @throws {AppError} `conflict` when no administrator would be left
 */
export async function updateMember(deps: AccountDeps, actor: Actor, id: string, changes: MemberChanges): Promise<User> {
  const user = await requireUser(deps, id);
  const role = changes.role ?? user.role;
  const disabledAt = chooseDisabledAt(deps, user, changes.disabled);
  const losesAdmin = isActiveAdmin(user) && !isActiveAdmin({ role, disabledAt });
  if (losesAdmin) await takeAdmin(deps, id, { role, disabledAt });
  else await deps.users.update(id, { role, disabledAt });
  if (changes.projectIds !== undefined) await deps.users.setProjectIds(id, changes.projectIds);
  if (role !== user.role || (disabledAt !== null && user.disabledAt === null)) await deps.sessions.deleteOfUser(id);
  await recordAudit(deps, actor, { action: 'member.update', target: user.email, detail: { ...changes } });
  return { ...user, role, disabledAt };
}

function chooseDisabledAt(deps: AccountDeps, user: User, disabled: boolean | undefined): Date | null {
  if (disabled === undefined) return user.disabledAt;
  return disabled ? (user.disabledAt ?? deps.now?.() ?? new Date()) : null;
}

async function takeAdmin(deps: AccountDeps, id: string, changes: UserChanges): Promise<void> {
  const isTaken = await deps.users.updateUnlessLastAdmin(id, changes);
  if (!isTaken) throw new AppError('conflict', 'this is the last administrator');
}

/** An administrator who may sign in. */
export function isActiveAdmin({ role, disabledAt }: Pick<User, 'role' | 'disabledAt'>): boolean {
  return role === 'admin' && disabledAt === null;
}
