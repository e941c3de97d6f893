import { AppError } from '../errors.ts';
import { recordAudit } from './audit.ts';
import { hashPassword, verifyNothing, verifyPassword } from './passwords.ts';
import type { AccountDeps, User } from './ports.ts';
import { REFUSED, startSession } from './sessions.ts';
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

/**
 * Sign-ins stand in the audit log, failed ones do not: strangers could fill it with them.
 * @throws {AppError} `unauthorized`, or `rate_limited` while locked out
 */
export async function signIn(deps: AccountDeps, attempt: SignInAttempt): Promise<SignedIn> {
  const email = attempt.email.trim().toLowerCase();
  const counted = await countAttempt(deps, email, attempt.from);
  const user = await findUser(deps, email, attempt.password);
  if (user === undefined) throw new AppError('unauthorized', REFUSED);
  const signedIn = await startSession(deps, user);
  await takeBack(deps, counted);
  await Promise.all(LOCKS.slice(0, 2).map(({ key }) => deps.failures.clear(key(email, attempt.from))));
  const note = { action: 'session.sign-in', target: user.email, detail: { from: attempt.from } };
  await recordAudit(deps, user, note);
  return signedIn;
}

/**
 * Changes one's own password; every other session ends and a new one begins.
 * @throws {AppError} `forbidden` when the current password is wrong, or not current any more; `rate_limited` while locked out
 */
export async function changePassword(
  deps: AccountDeps,
  user: User,
  change: { readonly current: string; readonly next: string; readonly from: string },
): Promise<SignedIn> {
  const counted = await countAttempt(deps, user.email.toLowerCase(), change.from);
  const refused = new AppError('forbidden', 'the current password is wrong');
  if (!(await verifyPassword(change.current, user.passwordHash))) throw refused;
  const passwordHash = await hashPassword(change.next);
  if (!(await deps.users.setPassword(user.id, passwordHash, user.passwordHash))) throw refused;
  await takeBack(deps, counted);
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

/** An attempt as it was counted under one key. */
interface Counted {
  readonly key: string;
  readonly at: Date;
  /** Of the last failure before it. */
  readonly lastAt: Date;
}

/**
 * Counts an attempt as failed before it is made, for checking a password takes long: of those that come at the same
 * time only as many are made as may fail. The one that succeeds is taken back.
 * @throws {AppError} `rate_limited` while locked out; the attempt is then none
 */
async function countAttempt(deps: AccountDeps, email: string, from: string): Promise<Counted[]> {
  const at = deps.now?.() ?? new Date();
  const since = new Date(at.getTime() - LOCK_MS);
  const counted: Counted[] = [];
  for (const lock of LOCKS) {
    const key = lock.key(email, from);
    const lastAt = (await deps.failures.find(key))?.lastAt ?? at;
    if (!(await deps.failures.add(key, at, since, lock.limit))) {
      await takeBack(deps, counted);
      throw toLocked(lastAt.getTime() + LOCK_MS - at.getTime());
    }
    counted.push({ key, at, lastAt });
  }
  return counted;
}

async function takeBack(deps: AccountDeps, counted: readonly Counted[]): Promise<void> {
  await Promise.all(counted.map(({ key, at, lastAt }) => deps.failures.takeBack(key, at, lastAt)));
}

function toLocked(leftMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(leftMs / 1000));
  const message = `too many failed attempts: locked for ${Math.ceil(seconds / 60)} min`;
  return new AppError('rate_limited', message, { retryAfterSeconds: seconds });
}
