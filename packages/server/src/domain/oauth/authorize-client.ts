import { createHash, randomBytes } from 'node:crypto';
import { ID_PREFIXES } from '@winnow/contract';
import { addKey, requireProject, type ProjectDeps } from '../accounts/projects.ts';
import type { AccountDeps, User } from '../accounts/ports.ts';
import { AppError } from '../shared/errors.ts';
import { newId } from '../shared/new-id.ts';
import type { SettingRepository } from '../shared/ports.ts';
import { isRedirectOf, openSigned, readClient, sign, type OAuthClient } from './oauth-client.ts';

export interface OAuthDeps extends ProjectDeps {
  readonly users: AccountDeps['users'];
  readonly settings: SettingRepository;
}

/** What a token is refused for, by its name in RFC 6749, 5.2. */
export class OAuthFault extends Error {
  readonly code: 'invalid_grant' | 'invalid_client' | 'invalid_request' | 'invalid_target';

  constructor(code: OAuthFault['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** RFC 6749, 4.1.2 recommends at most ten minutes. */
const CODE_MS = 2 * 60_000;

/** Of a key; then the user decides again. */
export const KEY_MS = 90 * 24 * 60 * 60_000;

/** S256 (RFC 7636, 4.2), and its verifier (4.1). */
export const CHALLENGE = /^[\w-]{43}$/;
const VERIFIER = /^[\w.~-]{43,128}$/;

/** A code carries what was decided: nothing is stored until it is exchanged for a key. */
interface Code {
  /** Id of the key to make, which can be made once. */
  readonly key: string;
  /** Hash of the client's id. */
  readonly client: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly project: string;
  readonly user: string;
  readonly expires: number;
}

const SECRET_NAME = 'oauth_secret';
const SECRET_BYTES = 32;

/** Returns the secret that signs ids of clients and codes, the same on all nodes. */
export async function readOAuthSecret({ settings }: Pick<OAuthDeps, 'settings'>): Promise<string> {
  const known = await settings.get(SECRET_NAME);
  if (known !== undefined) return known;
  await settings.claim(SECRET_NAME, randomBytes(SECRET_BYTES).toString('base64url'));
  return readOAuthSecret({ settings });
}

export interface Decision {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string;
}

/**
 * Returns a code for a client that a user lets use a project.
 * @throws {AppError} `invalid_request`, `not_found` for a project of others, `conflict` for an archived one
 */
export async function grantCode(deps: OAuthDeps, user: User, projectId: string, decision: Decision): Promise<string> {
  const secret = await readOAuthSecret(deps);
  requireClient(secret, decision);
  const project = await requireProject(deps, user, projectId);
  if (project.archivedAt !== null) throw new AppError('conflict', 'the project is archived');
  const now = deps.now?.() ?? new Date();
  return sign(secret, 'code', {
    key: newId(ID_PREFIXES.key),
    client: hash(decision.clientId),
    redirectUri: decision.redirectUri,
    challenge: decision.challenge,
    project: project.id,
    user: user.id,
    expires: now.getTime() + CODE_MS,
  } satisfies Code);
}

/** @throws {AppError} `invalid_request` for an unknown client, another redirect address, or a challenge that is none */
export function requireClient(secret: string, { clientId, redirectUri, challenge }: Decision): OAuthClient {
  const client = readClient(secret, clientId);
  if (client === undefined)
    throw new AppError('invalid_request', 'client_id: is not one of this service; the client has to register again');
  if (!isRedirectOf(client, redirectUri))
    throw new AppError('invalid_request', 'redirect_uri: is not one that the client has registered');
  if (!CHALLENGE.test(challenge)) throw new AppError('invalid_request', 'code_challenge: must be one of S256');
  return client;
}

interface Exchange {
  readonly code: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly verifier: string;
}

/**
 * Exchanges a code for a key of the project, for `/mcp` only. A code that comes again ends the key that it gave (RFC 6749,
 * 4.1.2).
 * @throws {OAuthFault}
 */
export async function exchangeCode(
  deps: OAuthDeps,
  { code, clientId, redirectUri, verifier }: Exchange,
): Promise<string> {
  const secret = await readOAuthSecret(deps);
  const client = readClient(secret, clientId);
  if (client === undefined) throw new OAuthFault('invalid_client', 'the client is unknown: it has to register again');
  const known = openSigned(secret, 'code', code) as Code | undefined;
  if (known === undefined) throw new OAuthFault('invalid_grant', 'the code is not one of this service');
  const now = deps.now?.() ?? new Date();
  if (known.client !== hash(clientId)) throw new OAuthFault('invalid_grant', 'the code is of another client');
  if (known.redirectUri !== redirectUri)
    throw new OAuthFault('invalid_grant', 'redirect_uri: is not the one of the authorization request');
  if (!VERIFIER.test(verifier) || hash(verifier) !== known.challenge)
    throw new OAuthFault('invalid_grant', 'code_verifier: does not fit the code_challenge');
  const keys = await deps.keys.list(known.project);
  if (keys.some(({ id }) => id === known.key)) {
    await deps.keys.revoke(known.key, now);
    throw new OAuthFault('invalid_grant', 'the code was used before; the key that it gave is revoked');
  }
  if (known.expires <= now.getTime()) throw new OAuthFault('invalid_grant', 'the code has expired');
  const user = await deps.users.find(known.user);
  if (!user || user.disabledAt !== null) throw new OAuthFault('invalid_grant', 'the user may not sign in any more');
  try {
    const project = await requireProject(deps, user, known.project);
    const { secret: key } = await addKey(deps, user, project, {
      id: known.key,
      name: `${client.name} (MCP)`,
      kind: 'key_only',
      scope: 'mcp',
      expiresAt: new Date(now.getTime() + KEY_MS),
      quotaPerMinute: null,
    });
    return key;
  } catch (error) {
    if (error instanceof AppError && error.code !== 'internal') throw new OAuthFault('invalid_grant', error.message);
    // The same code at the same time: the other exchange has made the key.
    const made = (await deps.keys.list(known.project)).some(({ id }) => id === known.key);
    if (made) throw new OAuthFault('invalid_grant', 'the code was used before');
    throw error;
  }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
