import { AppError } from '../shared/errors.ts';
import type { AccountDeps, Session, User } from './ports.ts';
import { createToken, deriveCsrfToken, hashToken } from './tokens.ts';

const HOUR_MS = 3_600_000;

/** A session ends this long after sign-in, however much it is used. */
const LIFETIME_MS = 7 * 24 * HOUR_MS;

/** A session ends when it was not used for this long. */
const IDLE_MS = 24 * HOUR_MS;

/** How often the last use is written, at most. */
const TOUCH_MS = 60_000;

/** Somebody who is signed in. */
export interface SignedIn {
  readonly user: User;
  readonly session: Session;
  /** Text of the cookie. */
  readonly token: string;
  readonly csrfToken: string;
}

/** One answer for an unknown address, a wrong password and a disabled account. */
export const REFUSED = 'the e-mail address or the password is wrong';

/**
 * Signs in whose password was verified, or set.
 * @throws {AppError} `unauthorized` when it has changed since, or the account was disabled
 */
export async function startSession(deps: AccountDeps, user: User): Promise<SignedIn> {
  const now = deps.now?.() ?? new Date();
  const token = createToken();
  const session: Session = {
    hash: hashToken(token),
    userId: user.id,
    createdAt: now,
    expiresAt: new Date(now.getTime() + LIFETIME_MS),
    lastSeenAt: now,
  };
  if (!(await deps.sessions.insert(session, user.passwordHash))) throw new AppError('unauthorized', REFUSED);
  await deps.users.update(user.id, { lastSeenAt: now });
  return { user, session, token, csrfToken: deriveCsrfToken(token) };
}

/**
 * Who a cookie's text belongs to. Looked up in full at each request, so that a sign-out, a disabled
 * account or a changed role counts from the next one on.
 * @throws {AppError} `unauthorized`
 */
export async function findSession(deps: AccountDeps, token: string | undefined): Promise<SignedIn> {
  const refused = new AppError('unauthorized', 'not signed in, or the session has ended');
  if (token === undefined || token === '') throw refused;
  const hash = hashToken(token);
  const session = await deps.sessions.find(hash);
  if (!session) throw refused;
  const now = deps.now?.() ?? new Date();
  const user = await deps.users.find(session.userId);
  const idleSince = now.getTime() - session.lastSeenAt.getTime();
  if (!user || user.disabledAt !== null || session.expiresAt <= now || idleSince > IDLE_MS) {
    await deps.sessions.delete(hash);
    throw refused;
  }
  if (idleSince > TOUCH_MS) {
    await deps.sessions.touch(hash, now);
    await deps.users.update(user.id, { lastSeenAt: now });
  }
  return { user, session, token, csrfToken: deriveCsrfToken(token) };
}
