import { AppError } from '../errors.ts';
import { recordAudit } from './audit.ts';
import { hashPassword, verifyNothing, verifyPassword } from './passwords.ts';
import type { AccountDeps, User } from './ports.ts';
import { startSession } from './sessions.ts';
import type { SignedIn } from './sessions.ts';

/** Failures are counted over this time, and a lock lasts as long from the last of them. */
const LOCK_MS = 15 * 60_000;

/** A crowd of guessers locks the account for everybody. */
const ACCOUNT_LOCK = { limit: 50, key: (email: string) => `account:${email}` } as const;

/**
 * How many failures lock what. One guesser locks out only itself; only a crowd of guessers locks the
 * account for everybody; and one place cannot try many accounts.
 */
const LOCKS = [
  { limit: 5, key: (email: string, from: string) => `account-from:${email}:${from}` },
  ACCOUNT_LOCK,
  { limit: 30, key: (_email: string, from: string) => `from:${from}` },
] as const;

export interface SignInAttempt {
  readonly email: string;
  readonly password: string;
  /** Network address that the attempt came from. */
  readonly from: string;
}

/** One answer for an unknown address, a wrong password and a disabled account. */
const REFUSED = 'the e-mail address or the password is wrong';

/** @throws {AppError} `unauthorized`, or `rate_limited` while locked out */
export async function signIn(deps: AccountDeps, attempt: SignInAttempt): Promise<SignedIn> {
  const email = attempt.email.trim().toLowerCase();
  await refuseLocked(deps, email, attempt.from);
  const user = await findUser(deps, email, attempt.password);
  if (user === undefined) {
    await noteFailure(deps, email, attempt.from);
    throw new AppError('unauthorized', REFUSED);
  }
  await Promise.all(LOCKS.slice(0, 2).map(({ key }) => deps.failures.clear(key(email, attempt.from))));
  return startSession(deps, user);
}

/**
 * Changes one's own password; every other session ends and a new one begins.
 * @throws {AppError} `unauthorized` when the current password is wrong, `rate_limited` while locked out
 */
export async function changePassword(
  deps: AccountDeps,
  user: User,
  change: { readonly current: string; readonly next: string; readonly from: string },
): Promise<SignedIn> {
  const email = user.email.toLowerCase();
  await refuseLocked(deps, email, change.from);
  if (!(await verifyPassword(change.current, user.passwordHash))) {
    await noteFailure(deps, email, change.from);
    throw new AppError('forbidden', 'the current password is wrong');
  }
  const passwordHash = await hashPassword(change.next);
  await deps.users.update(user.id, { passwordHash });
  await deps.sessions.deleteOfUser(user.id);
  await recordAudit(deps, user, { action: 'password.change', target: user.email });
  return startSession(deps, { ...user, passwordHash });
}

/** Lifts the lock on an account; whoever guessed from one place stays locked out there for a while. */
export async function unlockAccount(deps: AccountDeps, email: string): Promise<void> {
  await deps.failures.clear(ACCOUNT_LOCK.key(email.toLowerCase()));
}

async function findUser(deps: AccountDeps, email: string, password: string): Promise<User | undefined> {
  const user = await deps.users.findByEmail(email);
  if (user === undefined || user.disabledAt !== null) {
    await verifyNothing(password);
    return undefined;
  }
  return (await verifyPassword(password, user.passwordHash)) ? user : undefined;
}

async function refuseLocked(deps: AccountDeps, email: string, from: string): Promise<void> {
  const now = deps.now?.() ?? new Date();
  for (const { limit, key } of LOCKS) {
    const failures = await deps.failures.find(key(email, from));
    if (failures === undefined || failures.count < limit) continue;
    const leftMs = failures.lastAt.getTime() + LOCK_MS - now.getTime();
    if (leftMs <= 0) continue;
    const minutes = Math.ceil(leftMs / 60_000);
    throw new AppError('rate_limited', `too many failed attempts: locked for ${minutes} min`, {
      retryAfterSeconds: Math.ceil(leftMs / 1000),
    });
  }
}

async function noteFailure(deps: AccountDeps, email: string, from: string): Promise<void> {
  const now = deps.now?.() ?? new Date();
  const since = new Date(now.getTime() - LOCK_MS);
  for (const { key } of LOCKS) await deps.failures.add(key(email, from), now, since);
}
