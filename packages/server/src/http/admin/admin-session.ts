import type { FastifyReply, FastifyRequest } from 'fastify';
import { DEVICE_LIFETIME_MS, issueDeviceToken } from '../../domain/accounts/sign-in.ts';
import type { AccountDeps, User } from '../../domain/accounts/ports.ts';
import { findSession } from '../../domain/accounts/sessions.ts';
import type { SignedIn } from '../../domain/accounts/sessions.ts';
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
function cookieName(settings: SessionSettings): string {
  return settings.secureCookies ? '__Host-winnow_session' : 'winnow_session';
}

export function setSessionCookie(reply: FastifyReply, settings: SessionSettings, { token, session }: SignedIn): void {
  void reply.setCookie(cookieName(settings), token, {
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure: settings.secureCookies,
    expires: session.expiresAt,
  });
}

function deviceCookieName(settings: SessionSettings): string {
  return settings.secureCookies ? '__Host-winnow_device' : 'winnow_device';
}

/** Marks the browser as known, so that failed sign-ins of others do not lock it out. Grants no access. */
export function setDeviceCookie(reply: FastifyReply, settings: SessionSettings, user: User, now: Date): void {
  void reply.setCookie(deviceCookieName(settings), issueDeviceToken(user, now), {
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure: settings.secureCookies,
    expires: new Date(now.getTime() + DEVICE_LIFETIME_MS),
  });
}

export function readDeviceCookie(settings: SessionSettings, request: FastifyRequest): string | undefined {
  return request.cookies[deviceCookieName(settings)];
}

export function clearSessionCookie(reply: FastifyReply, settings: SessionSettings): void {
  void reply.clearCookie(cookieName(settings), {
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
    secure: settings.secureCookies,
  });
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
  const signedIn = await findSession(deps, request.cookies[cookieName(settings)]);
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
