import { createHash, randomBytes } from 'node:crypto';
import { AppError } from '../shared/errors.ts';
import type { AccountDeps, Session, User } from './ports.ts';

const HOUR_MS = 3_600_000;

const LIFETIME_MS = 7 * 24 * HOUR_MS;

const IDLE_MS = 24 * HOUR_MS;

/** Minimum interval between writes of `lastSeenAt`. */
const TOUCH_MS = 60_000;

export interface SignedIn {
  readonly user: User;
  readonly session: Session;
  readonly token: string;
  readonly csrfToken: string;
}

/** For an unknown address, a wrong password and a disabled account. */
export const REFUSED_SIGN_IN = 'the e-mail address or the password is wrong';

/** @throws {AppError} `unauthorized` when the password changed or the account was disabled meanwhile */
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
  if (!(await deps.sessions.insert(session, user.passwordHash))) throw new AppError('unauthorized', REFUSED_SIGN_IN);
  await deps.users.update(user.id, { lastSeenAt: now });
  return { user, session, token, csrfToken: deriveCsrfToken(token) };
}

/**
 * Reads the database, so that changes of the user apply at once.
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

const TOKEN_BYTES = 32;

export function createToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Hashes with SHA-256: random tokens need no slow hash. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Only the holder of the cookie can derive it. */
function deriveCsrfToken(sessionToken: string): string {
  return createHash('sha256').update(`csrf:${sessionToken}`).digest('base64url');
}
