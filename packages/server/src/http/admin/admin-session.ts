import type { FastifyReply, FastifyRequest } from 'fastify';
import { DEVICE_LIFETIME_MS, issueDeviceToken } from '../../domain/accounts/sign-in.ts';
import type { AccountDeps, User } from '../../domain/accounts/ports.ts';
import { findSession, type SignedIn } from '../../domain/accounts/sessions.ts';
import { equalInConstantTime } from '../../domain/shared/secrets.ts';
import { AppError } from '../../domain/shared/errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Only under /admin/v1. */
    signedIn: SignedIn | null;
  }
}

export interface SessionSettings {
  /** True if the console is served over HTTPS. */
  readonly secureCookies: boolean;
  /** Additional origins of the console, for example the public address behind a proxy. */
  readonly origins: readonly string[];
}

const CSRF_HEADER = 'x-csrf-token';

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** `__Host-` binds the cookie to this host and https. */
function cookieName({ secureCookies }: SessionSettings, kind: 'session' | 'device'): string {
  return `${secureCookies ? '__Host-' : ''}winnow_${kind}`;
}

function cookieOptions({ secureCookies }: SessionSettings) {
  return { path: '/', httpOnly: true, sameSite: 'strict', secure: secureCookies } as const;
}

export function setSessionCookie(reply: FastifyReply, settings: SessionSettings, { token, session }: SignedIn): void {
  const options = { ...cookieOptions(settings), expires: session.expiresAt };
  void reply.setCookie(cookieName(settings, 'session'), token, options);
}

/** Marks the browser as known, so that failed sign-ins of others do not lock it out. Grants no access. */
export function setDeviceCookie(reply: FastifyReply, settings: SessionSettings, user: User, now: Date): void {
  const options = { ...cookieOptions(settings), expires: new Date(now.getTime() + DEVICE_LIFETIME_MS) };
  void reply.setCookie(cookieName(settings, 'device'), issueDeviceToken(user, now), options);
}

export function readDeviceCookie(settings: SessionSettings, request: FastifyRequest): string | undefined {
  return request.cookies[cookieName(settings, 'device')];
}

export function clearSessionCookie(reply: FastifyReply, settings: SessionSettings): void {
  void reply.clearCookie(cookieName(settings, 'session'), cookieOptions(settings));
}

/**
 * API keys grant no access here.
 * @throws {AppError} `unauthorized`; `forbidden` for a change without the CSRF token
 */
export async function requireSession(
  deps: AccountDeps,
  settings: SessionSettings,
  request: FastifyRequest,
): Promise<SignedIn> {
  const signedIn = await findSession(deps, request.cookies[cookieName(settings, 'session')]);
  if (!READS.has(request.method)) {
    refuseForeignOrigin(request, settings);
    checkCsrfToken(request, signedIn.csrfToken);
  }
  request.signedIn = signedIn;
  return signedIn;
}

export function requireSignedIn(request: FastifyRequest): SignedIn {
  if (!request.signedIn) throw new AppError('unauthorized', 'not signed in');
  return request.signedIn;
}

/** Prevents other sites from signing a visitor in. */
export function refuseForeignOrigin(request: FastifyRequest, settings: SessionSettings): void {
  const { origin, host } = request.headers;
  const site = request.headers['sec-fetch-site'];
  const ownOrigin = origin === undefined || settings.origins.includes(origin) || URL.parse(origin)?.host === host;
  if (!ownOrigin || (site !== undefined && site !== 'same-origin' && site !== 'none')) {
    throw new AppError('forbidden', 'this request comes from another site');
  }
}

function checkCsrfToken(request: FastifyRequest, expected: string): void {
  const given = request.headers[CSRF_HEADER];
  if (typeof given !== 'string' || !equalInConstantTime(Buffer.from(given), Buffer.from(expected))) {
    throw new AppError('forbidden', 'the X-CSRF-Token header is missing or does not belong to the session');
  }
}
