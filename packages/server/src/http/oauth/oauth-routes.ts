import { API_OPERATIONS, ERRORS, MAX_STATE_LENGTH } from '@winnow/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  CHALLENGE,
  exchangeCode,
  KEY_MS,
  OAuthFault,
  readOAuthSecret,
  requireClient,
  type OAuthDeps,
} from '../../domain/oauth/authorize-client.ts';
import { registerClient, staysOnMachine } from '../../domain/oauth/oauth-client.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { createErrorSender } from '../answers/send-error.ts';

export interface OAuthRouteDeps {
  readonly oauth: OAuthDeps;
  /** Null: the address of the request. */
  readonly baseUrl: string | null;
  readonly consoleUrl: string | null;
}

const PATHS = { authorize: '/oauth/authorize', token: '/oauth/token', register: '/oauth/register' } as const;
const { path: MCP_PATH } = API_OPERATIONS.mcp.mcp;
const RESOURCE_DOCUMENT = '/.well-known/oauth-protected-resource';
const SERVER_DOCUMENT = '/.well-known/oauth-authorization-server';
const SCOPE = 'mcp';

/** Of a registration and of a request for a token. */
const MAX_BODY_BYTES = 16 * 1024;

/** Pages of any origin may read these: they carry no cookies. */
const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, POST',
  'Access-Control-Allow-Headers': 'Content-Type, Mcp-Protocol-Version',
};

/**
 * OAuth 2.1 for assistants that call `/mcp`: they register themselves (RFC 7591), a user of the console lets them use a
 * project, and they exchange a code with PKCE for a key. The documents are those of RFC 9728 and RFC 8414.
 */
export function addOAuth(parent: FastifyInstance, deps: OAuthRouteDeps): void {
  void parent.register(async (app) => {
    app.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: MAX_BODY_BYTES },
      (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(String(body)))),
    );
    app.addHook('onSend', async (_request, reply) => void reply.headers({ ...CORS, 'Cache-Control': 'no-store' }));
    for (const path of [RESOURCE_DOCUMENT, SERVER_DOCUMENT])
      for (const url of [path, `${path}/*`]) {
        app.get(url, async (request) => readDocument(request, deps, path));
        app.options(url, sendNothing);
      }
    app.get(PATHS.authorize, async (request, reply) => authorize(request, reply, deps));
    const own = { bodyLimit: MAX_BODY_BYTES, config: { bodyLimitSetting: null }, errorHandler: sendFailure };
    app.post(PATHS.register, own, async (request, reply) => register(request, reply, deps));
    app.post(PATHS.token, own, async (request, reply) => sendToken(request, reply, deps));
    app.options(PATHS.register, sendNothing);
    app.options(PATHS.token, sendNothing);
  });
}

/** For programs, which read the errors of RFC 6749, 5.2 and RFC 7591, 3.2.2. */
const sendFailure = createErrorSender((failure) => {
  const { status } = ERRORS[failure.code];
  const error =
    status < 500 ? 'invalid_request' : failure.code === 'internal' ? 'server_error' : 'temporarily_unavailable';
  return { status, body: { error, error_description: failure.message } };
});

/** The header of RFC 9728, 5.1 that tells a client without a key where to ask for one. */
export function challengeOf(request: FastifyRequest, deps: Pick<OAuthRouteDeps, 'baseUrl'>): string {
  const base = URL.parse(baseUrlOf(request, deps));
  // A request with a broken Host header.
  if (base === null || /["\\]/.test(base.host)) return 'Bearer realm="winnow"';
  const { origin, pathname } = base;
  const path = pathname === '/' ? '' : pathname;
  return `Bearer realm="winnow", resource_metadata="${origin}${RESOURCE_DOCUMENT}${path}${MCP_PATH}"`;
}

async function sendNothing(_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return reply.code(204).send();
}

/** Address of the service, without a trailing slash. */
export function baseUrlOf({ protocol, host }: FastifyRequest, { baseUrl }: Pick<OAuthRouteDeps, 'baseUrl'>): string {
  return (baseUrl ?? `${protocol}://${host}`).replace(/(?<!\/)\/+$/, '');
}

async function readDocument(request: FastifyRequest, deps: OAuthRouteDeps, path: string): Promise<object> {
  const base = baseUrlOf(request, deps);
  const oauthMetadata = {
    issuer: base,
    authorization_endpoint: base + PATHS.authorize,
    token_endpoint: base + PATHS.token,
    registration_endpoint: base + PATHS.register,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    scopes_supported: [SCOPE],
    authorization_response_iss_parameter_supported: true,
  };
  const { buildOAuthProtectedResourceMetadata } = await import('@modelcontextprotocol/server');
  try {
    const resource = buildOAuthProtectedResourceMetadata({
      oauthMetadata,
      resourceServerUrl: new URL(base + MCP_PATH),
      scopesSupported: [SCOPE],
      resourceName: 'Winnow',
    });
    return path === RESOURCE_DOCUMENT ? { ...resource, authorization_servers: [base] } : oauthMetadata;
  } catch {
    throw new AppError('not_found', 'OAuth needs https: set WINNOW_BASE_URL to the public address of the service');
  }
}

const clientSchema = z.object({
  redirect_uris: z.array(z.string()),
  client_name: z.string().optional(),
  token_endpoint_auth_method: z.string().optional(),
  grant_types: z.array(z.string()).optional(),
  response_types: z.array(z.string()).optional(),
});

async function register(request: FastifyRequest, reply: FastifyReply, { oauth }: OAuthRouteDeps): Promise<object> {
  const parsed = clientSchema.safeParse(request.body);
  if (!parsed.success) return fail(reply, 'invalid_client_metadata', describeIssue(parsed.error, 'body'));
  const { redirect_uris: redirectUris, client_name: name = 'An assistant' } = parsed.data;
  try {
    const client = registerClient(await readOAuthSecret(oauth), name, redirectUris);
    void reply.code(201);
    return {
      client_id: client.id,
      client_id_issued_at: Math.floor(Date.now() / 1000),
      client_name: client.name,
      redirect_uris: client.redirectUris,
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: SCOPE,
    };
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_request')
      return fail(reply, 'invalid_redirect_uri', error.message);
    throw error;
  }
}

const authorizeSchema = z.object({
  client_id: z.string(),
  redirect_uri: z.string(),
  response_type: z.string().default(''),
  code_challenge: z.string().default(''),
  code_challenge_method: z.string().default('plain'),
  state: z.string().max(MAX_STATE_LENGTH).optional(),
  resource: z.string().optional(),
});

/** Sends the browser to the page of the console where its user decides. */
async function authorize(request: FastifyRequest, reply: FastifyReply, deps: OAuthRouteDeps): Promise<FastifyReply> {
  const parsed = authorizeSchema.safeParse(request.query);
  if (!parsed.success) throw new AppError('invalid_request', describeIssue(parsed.error, 'query'));
  const { client_id, redirect_uri, code_challenge, state, ...asked } = parsed.data;
  const secret = await readOAuthSecret(deps.oauth);
  const base = baseUrlOf(request, deps);
  const isChallenge = asked.code_challenge_method === 'S256' && CHALLENGE.test(code_challenge);
  // Without a known client and address nothing may be sent there.
  const challenge = isChallenge ? code_challenge : 'A'.repeat(43);
  const client = requireClient(secret, { clientId: client_id, redirectUri: redirect_uri, challenge });
  const fault =
    asked.response_type !== 'code'
      ? (['unsupported_response_type', 'response_type: must be code'] as const)
      : !isChallenge
        ? (['invalid_request', 'code_challenge: is needed, with the method S256'] as const)
        : !isOwn(asked.resource, base)
          ? (['invalid_target', `resource: must be ${base}${MCP_PATH}`] as const)
          : undefined;
  if (fault !== undefined) {
    const [error, description] = fault;
    // Anybody can register an address: without the user's consent no browser is sent to another site (RFC 9700, 4.11.2).
    if (!staysOnMachine(redirect_uri)) throw new AppError('invalid_request', description);
    return reply.redirect(addAnswer(redirect_uri, base, { error, error_description: description, state }));
  }
  const console = deps.consoleUrl?.replace(/(?<!\/)\/+$/, '') ?? `${base}/console`;
  const shown = { client_id, client_name: client.name, redirect_uri, code_challenge, state };
  return reply.redirect(addQuery(`${console}/authorize`, shown));
}

function isOwn(resource: string | undefined, base: string): boolean {
  return resource === undefined || resource.replace(/\/$/, '') === base || resource === base + MCP_PATH;
}

/** @param issuer RFC 9207 */
export function addAnswer(
  redirectUri: string,
  issuer: string,
  answer: Readonly<Record<string, string | undefined>>,
): string {
  return addQuery(redirectUri, { ...answer, iss: issuer });
}

function addQuery(address: string, query: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}

const tokenSchema = z.object({
  grant_type: z.string(),
  code: z.string(),
  client_id: z.string(),
  redirect_uri: z.string(),
  code_verifier: z.string(),
  resource: z.string().optional(),
});

async function sendToken(request: FastifyRequest, reply: FastifyReply, deps: OAuthRouteDeps): Promise<object> {
  const { grant_type: grant } = (request.body ?? {}) as { readonly grant_type?: unknown };
  if (grant !== undefined && grant !== 'authorization_code')
    return fail(reply, 'unsupported_grant_type', 'grant_type: must be authorization_code');
  const parsed = tokenSchema.safeParse(request.body);
  if (!parsed.success) return fail(reply, 'invalid_request', describeIssue(parsed.error, 'body'));
  const { code, client_id: clientId, redirect_uri: redirectUri, code_verifier: verifier, resource } = parsed.data;
  const base = baseUrlOf(request, deps);
  if (!isOwn(resource, base)) return fail(reply, 'invalid_target', `resource: must be ${base}${MCP_PATH}`);
  try {
    const key = await exchangeCode(deps.oauth, { code, clientId, redirectUri, verifier });
    return { access_token: key, token_type: 'Bearer', expires_in: KEY_MS / 1000, scope: SCOPE };
  } catch (error) {
    if (error instanceof OAuthFault) return fail(reply, error.code, error.message);
    throw error;
  }
}

/** @param whole name of what was parsed */
function describeIssue({ issues: [issue] }: z.ZodError, whole: string): string {
  return `${issue?.path.join('.') || whole}: ${issue?.message ?? ''}`;
}

function fail(reply: FastifyReply, error: string, description: string): object {
  void reply.code(error === 'invalid_client' ? 401 : 400);
  return { error, error_description: description };
}
