import { ID_PREFIXES, type LinkKind, type Role } from '@winnow/contract';
import { AppError } from '../shared/errors.ts';
import { newId } from '../shared/new-id.ts';
import { recordAudit, type Actor } from './audit.ts';
import { isActiveAdmin } from './members.ts';
import type { AccountDeps, OneTimeLink, PasswordDeps, User } from './ports.ts';
import { startSession, createToken, hashToken, type SignedIn } from './sessions.ts';

const HOUR_MS = 3_600_000;

const LIFETIMES_MS: Readonly<Record<LinkKind, number>> = {
  setup: 24 * HOUR_MS,
  invite: 7 * 24 * HOUR_MS,
  reset: 24 * HOUR_MS,
};

export interface CreatedLink {
  readonly link: OneTimeLink;
  /** Only its hash is stored. */
  readonly token: string;
}

/**
 * Creates the first administrator's link and invalidates earlier ones; returns undefined if an administrator exists.
 */
export async function createSetupLink(deps: AccountDeps): Promise<CreatedLink | undefined> {
  if (await hasAdministrator(deps)) return undefined;
  await deps.links.deleteOfKind('setup');
  return createLink(deps, { kind: 'setup', email: null, role: 'admin', projectIds: [] });
}

export async function hasAdministrator(deps: AccountDeps): Promise<boolean> {
  return (await deps.users.list()).some(isActiveAdmin);
}

export interface Invitation {
  readonly email: string;
  readonly role: Role;
  readonly projectIds: readonly string[];
}

/** @throws {AppError} `conflict` */
export async function invite(deps: AccountDeps, actor: Actor, invitation: Invitation): Promise<CreatedLink> {
  const email = invitation.email.trim();
  if (await deps.users.findByEmail(email))
    throw new AppError('conflict', 'email: an account with this address exists already');
  await deps.links.deleteOfKind('invite', email);
  const created = await createLink(deps, { ...invitation, email, kind: 'invite' });
  const detail = { role: invitation.role, projectIds: invitation.projectIds };
  await recordAudit(deps, actor, { action: 'member.invite', target: email, detail });
  return created;
}

export async function createResetLink(deps: AccountDeps, actor: Actor, user: User): Promise<CreatedLink> {
  await deps.links.deleteOfKind('reset', user.email);
  const created = await createLink(deps, { kind: 'reset', email: user.email, role: user.role, projectIds: [] });
  await recordAudit(deps, actor, { action: 'member.reset-link', target: user.email });
  return created;
}

/** @throws {AppError} `not_found` */
export async function findLink(deps: AccountDeps, token: string): Promise<OneTimeLink> {
  const link = await deps.links.findByHash(hashToken(token));
  const isOver = !link || link.expiresAt <= (deps.now?.() ?? new Date());
  if (isOver || (link.kind === 'setup' && (await hasAdministrator(deps)))) {
    throw new AppError(
      'not_found',
      'this link is not valid: it was used already, has expired, was withdrawn or was not copied whole',
    );
  }
  return link;
}

export interface Acceptance {
  readonly token: string;
  /** Only for links without an address. */
  readonly email: string | undefined;
  readonly password: string;
  readonly signal?: AbortSignal | undefined;
}

/** Creates the account or sets its password, and signs in. */
export async function acceptLink(deps: PasswordDeps, acceptance: Acceptance): Promise<SignedIn> {
  const link = await findLink(deps, acceptance.token);
  const email = link.email ?? acceptance.email?.trim();
  if (email === undefined) throw new AppError('invalid_request', 'email: is required');
  if (link.email !== null && acceptance.email !== undefined && acceptance.email !== link.email) {
    throw new AppError('invalid_request', 'email: this link is for another address');
  }
  const turn = { tenant: link.id, trusted: true, signal: acceptance.signal };
  const passwordHash = await deps.passwords.hash(acceptance.password, turn);
  // Hashing took time: another request may have used the link.
  await findLink(deps, acceptance.token);
  if (!(await deps.links.take(link.id))) throw new AppError('not_found', 'this link was used already');
  const user = await (link.kind === 'reset'
    ? resetPassword(deps, email, passwordHash)
    : createUser(deps, link, email, passwordHash));
  await recordAudit(deps, user, { action: `link.accept-${link.kind}`, target: email });
  return startSession(deps, user);
}

async function resetPassword(deps: AccountDeps, email: string, passwordHash: string): Promise<User> {
  const user = await deps.users.findByEmail(email);
  if (!user || user.disabledAt !== null) throw new AppError('not_found', 'the account of this link no longer exists');
  await deps.users.setPassword(user.id, passwordHash);
  await deps.links.deleteOfKind('reset', email);
  return { ...user, passwordHash };
}

async function createUser(deps: AccountDeps, link: OneTimeLink, email: string, passwordHash: string): Promise<User> {
  const user: User = {
    id: newId(ID_PREFIXES.user),
    email,
    role: link.role,
    passwordHash,
    createdAt: deps.now?.() ?? new Date(),
    disabledAt: null,
    lastSeenAt: null,
  };
  if (!(await deps.users.insert(user)))
    throw new AppError('conflict', 'email: an account with this address exists already');
  await deps.users.setProjectIds(user.id, link.projectIds);
  return user;
}

/** Puts the token after the `#`, which browsers do not send, so no log contains it. */
export function oneTimeLinkUrl(consoleUrl: string, token: string): string {
  return `${consoleUrl.replace(/(?<!\/)\/+$/, '')}/welcome#${token}`;
}

type NewLink = Pick<OneTimeLink, 'kind' | 'email' | 'role' | 'projectIds'>;

async function createLink(deps: AccountDeps, fields: NewLink): Promise<CreatedLink> {
  const token = createToken();
  const createdAt = deps.now?.() ?? new Date();
  const link: OneTimeLink = {
    ...fields,
    id: newId('lnk'),
    hash: hashToken(token),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + LIFETIMES_MS[fields.kind]),
  };
  await deps.links.insert(link);
  return { link, token };
}
