import { createHmac, randomBytes } from 'node:crypto';
import { equalInConstantTime } from '../shared/equal-in-constant-time.ts';
import type { User } from './ports.ts';

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
