import { createHmac, randomBytes } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { AppError } from '../shared/errors.ts';
import { recordAudit } from './audit.ts';
import type { HashTurn } from './passwords.ts';
import type { AccountDeps, PasswordDeps, User } from './ports.ts';
import { REFUSED_SIGN_IN, startSession, type SignedIn } from './sessions.ts';
import { equalInConstantTime } from '../shared/secrets.ts';

/** Also the window of counted failures. */
const LOCK_MS = 15 * 60_000;

/** Per network and account. */
const GUESSER_LIMIT = 5;

/** Does not affect known devices. */
const ACCOUNT_LOCK = { limit: 50, key: (email: string) => `account:${email}` } as const;

/** Per network, over all accounts. */
const NETWORK_LIMIT = 30;

interface Lock {
  readonly key: string;
  readonly limit: number;
  readonly isCleared: boolean;
}

interface SignInAttempt {
  readonly email: string;
  readonly password: string;
  readonly from: string;
  /** Token of `issueDeviceToken`. */
  readonly device?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Signs in; audits successes only, since strangers could fill the log with failures.
 * @throws {AppError} `unauthorized`, `rate_limited`
 */
export async function signIn(deps: PasswordDeps, attempt: SignInAttempt): Promise<SignedIn> {
  const email = attempt.email.trim().toLowerCase();
  const found = await deps.users.findByEmail(email);
  const device = found && findKnownDevice(found, attempt.device, deps.now?.() ?? new Date());
  const locks = device === undefined ? listLocks(email, attempt.from) : listDeviceLocks(email, device);
  const turn = {
    tenant: device === undefined ? networkOf(attempt.from) : `device:${device}`,
    trusted: device !== undefined,
    signal: attempt.signal,
  };
  const counted = await countAttempt(deps, locks);
  const user = await takeBackUnlessChecked(deps, counted, () => checkPassword(deps, found, attempt.password, turn));
  if (user === undefined) throw new AppError('unauthorized', REFUSED_SIGN_IN);
  const signedIn = await startSession(deps, user);
  await takeBack(deps, counted);
  await Promise.all(locks.filter(({ isCleared }) => isCleared).map(({ key }) => deps.failures.clear(key)));
  const note = { action: 'session.sign-in', target: user.email, detail: { from: attempt.from } };
  await recordAudit(deps, user, note);
  return signedIn;
}

/**
 * Ends other sessions, invalidates reset links and starts a new session.
 * @throws {AppError} `forbidden`, `rate_limited`
 */
export async function changePassword(
  deps: PasswordDeps,
  user: User,
  change: {
    readonly current: string;
    readonly next: string;
    readonly from: string;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<SignedIn> {
  const turn = { tenant: user.id, trusted: true, signal: change.signal };
  const counted = await countAttempt(deps, listLocks(user.email.toLowerCase(), change.from));
  const refused = new AppError('forbidden', 'the current password is wrong');
  const isRight = await takeBackUnlessChecked(deps, counted, () =>
    deps.passwords.verify(change.current, user.passwordHash, turn),
  );
  if (!isRight) throw refused;
  const passwordHash = await takeBackUnlessChecked(deps, counted, () => deps.passwords.hash(change.next, turn));
  if (!(await deps.users.setPassword(user.id, passwordHash, user.passwordHash))) throw refused;
  await deps.links.deleteOfKind('reset', user.email);
  await takeBack(deps, counted);
  await recordAudit(deps, user, { action: 'password.change', target: user.email });
  return startSession(deps, { ...user, passwordHash });
}

/** Clears the account's lock, but not the locks of single networks. */
export async function unlockAccount(deps: AccountDeps, email: string): Promise<void> {
  await deps.failures.clear(ACCOUNT_LOCK.key(email.toLowerCase()));
}

async function checkPassword(
  deps: PasswordDeps,
  user: User | undefined,
  password: string,
  turn: HashTurn,
): Promise<User | undefined> {
  if (user === undefined || user.disabledAt !== null) {
    await deps.passwords.verifyNothing(password, turn);
    return undefined;
  }
  return (await deps.passwords.verify(password, user.passwordHash, turn)) ? user : undefined;
}

/** Returns the locks of an unknown device, by network: a guesser may control a whole IPv6 network. */
function listLocks(email: string, from: string): Lock[] {
  const network = networkOf(from);
  return [
    { key: `account-from:${email}:${network}`, limit: GUESSER_LIMIT, isCleared: true },
    { key: ACCOUNT_LOCK.key(email), limit: ACCOUNT_LOCK.limit, isCleared: true },
    { key: `from:${network}`, limit: NETWORK_LIMIT, isCleared: false },
  ];
}

/** Returns a separate lock, so that strangers cannot lock out the owner. */
function listDeviceLocks(email: string, device: string): Lock[] {
  return [{ key: `account-device:${email}:${device}`, limit: GUESSER_LIMIT, isCleared: true }];
}

interface Counted {
  readonly key: string;
  readonly at: Date;
  readonly lastAt: Date;
}

/**
 * Counts the attempt as failed before the slow check, so that concurrent ones cannot exceed the limit.
 * @throws {AppError} `rate_limited` while locked
 */
async function countAttempt(deps: AccountDeps, locks: readonly Lock[]): Promise<Counted[]> {
  const at = deps.now?.() ?? new Date();
  const since = new Date(at.getTime() - LOCK_MS);
  const counted: Counted[] = [];
  for (const { key, limit } of locks) {
    const lastAt = (await deps.failures.find(key))?.lastAt ?? at;
    if (!(await deps.failures.add(key, at, since, limit))) {
      await takeBack(deps, counted);
      throw toLocked(lastAt.getTime() + LOCK_MS - at.getTime());
    }
    counted.push({ key, at, lastAt });
  }
  return counted;
}

/** Undoes the count if the check throws. */
async function takeBackUnlessChecked<T>(
  deps: AccountDeps,
  counted: readonly Counted[],
  check: () => Promise<T>,
): Promise<T> {
  try {
    return await check();
  } catch (error) {
    await takeBack(deps, counted);
    throw error;
  }
}

async function takeBack(deps: AccountDeps, counted: readonly Counted[]): Promise<void> {
  await Promise.all(counted.map(({ key, at, lastAt }) => deps.failures.takeBack(key, at, lastAt)));
}

function toLocked(leftMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(leftMs / 1000));
  const message = `too many failed attempts: locked for ${Math.ceil(seconds / 60)} min`;
  return new AppError('rate_limited', message, { retryAfterSeconds: seconds });
}

/** Providers assign at least a /64 to a customer. */
const IPV6_NETWORK_BITS = 64;

/** Returns an IPv4 address or an IPv6 /64; other text unchanged. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  // Treats IPv4-mapped IPv6 addresses as IPv4.
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${IPV6_NETWORK_BITS}`).toString()}/${IPV6_NETWORK_BITS}`;
}

const DAY_MS = 24 * 60 * 60_000;

export const DEVICE_LIFETIME_MS: number = 180 * DAY_MS;

const ID_BYTES = 16;
const TOKEN_PATTERN = /^([\w-]{22})\.(\d{1,15})\.([\w-]{43})$/;

type Owner = Pick<User, 'id' | 'passwordHash'>;

/** Returns a token `id.expiry.signature`. */
export function issueDeviceToken(user: Owner, now: Date): string {
  const id = randomBytes(ID_BYTES).toString('base64url');
  const expires = now.getTime() + DEVICE_LIFETIME_MS;
  return `${id}.${expires}.${sign(user, id, expires).toString('base64url')}`;
}

/** Returns the device's id; undefined if the token is expired or of another user or password. */
export function findKnownDevice(user: Owner, token: string | undefined, now: Date): string | undefined {
  const [, id, expiry, signature] = TOKEN_PATTERN.exec(token ?? '') ?? [];
  if (id === undefined || signature === undefined) return undefined;
  const expires = Number(expiry);
  const isGenuine = equalInConstantTime(Buffer.from(signature, 'base64url'), sign(user, id, expires));
  return isGenuine && expires > now.getTime() ? id : undefined;
}

/** Signs with the password's hash, so that a new password invalidates every device. */
function sign(user: Owner, id: string, expires: number): Buffer {
  return createHmac('sha256', `device:${user.passwordHash}`).update(`${user.id}:${id}:${expires}`).digest();
}
