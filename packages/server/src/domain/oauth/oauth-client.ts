import { createHmac } from 'node:crypto';
import { MAX_REDIRECT_LENGTH } from '@winnow/contract';
import { AppError } from '../shared/errors.ts';
import { escapeControls } from '../shared/escape-controls.ts';
import { equalInConstantTime } from '../shared/secrets.ts';

/** A client that registered itself (RFC 7591). Its id carries what it registered, so that nothing is stored for strangers. */
export interface OAuthClient {
  readonly id: string;
  /** As the client calls itself; nobody has checked it. */
  readonly name: string;
  readonly redirectUris: readonly string[];
}

const CLIENT_PREFIX = 'mcp_';

const MAX_NAME = 100;
const MAX_REDIRECTS = 5;

/** Schemes of applications on the machine of the user; others need a dot, as RFC 8252, 7.1 says. */
const APP_SCHEME = /^(?:cursor|vscode|vscode-insiders|windsurf|zed|claude|[a-z][a-z\d+-]*\.[a-z\d+.-]*):$/;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** @throws {AppError} `invalid_request`, which names the redirect address */
export function registerClient(secret: string, name: string, redirectUris: readonly string[]): OAuthClient {
  const fault =
    redirectUris.length === 0 || redirectUris.length > MAX_REDIRECTS
      ? `redirect_uris: must have 1 to ${MAX_REDIRECTS} addresses`
      : redirectUris.map(findRedirectFault).find((one) => one !== undefined);
  if (fault !== undefined) throw new AppError('invalid_request', fault);
  // It names the key in the console and on terminals.
  const shown = escapeControls(name.trim()).slice(0, MAX_NAME).toWellFormed();
  const id = CLIENT_PREFIX + sign(secret, 'client', { n: shown, r: redirectUris });
  return { id, name: shown, redirectUris };
}

/** Returns undefined for an id that this deployment did not give. */
export function readClient(secret: string, id: string): OAuthClient | undefined {
  if (!id.startsWith(CLIENT_PREFIX)) return undefined;
  const signed = openSigned(secret, 'client', id.slice(CLIENT_PREFIX.length));
  const known = signed as { readonly n: string; readonly r: readonly string[] } | undefined;
  return known && { id, name: known.n, redirectUris: known.r };
}

/** Tests a redirect address: the registered one exactly, or another port of this machine (RFC 8252, 7.3). */
export function isRedirectOf({ redirectUris }: OAuthClient, address: string): boolean {
  return redirectUris.some(
    (known) => known === address || (isLoopback(known) && withoutPort(known) === withoutPort(address)),
  );
}

function findRedirectFault(address: string): string | undefined {
  const url = address.length > MAX_REDIRECT_LENGTH ? null : URL.parse(address);
  if (url === null) return `redirect_uris: must be absolute addresses of at most ${MAX_REDIRECT_LENGTH} characters`;
  if (url.hash !== '' || address.includes('#')) return 'redirect_uris: must not have a fragment';
  if (url.username !== '' || url.password !== '') return 'redirect_uris: must not have credentials';
  if (url.protocol === 'https:' || isLoopback(address) || APP_SCHEME.test(url.protocol)) return undefined;
  return `redirect_uris: must be https, http on this machine, or a scheme of an application; ${url.protocol} is not`;
}

/** Tests that an address leads to a program on the machine of the user, and to no other site. */
export function staysOnMachine(address: string): boolean {
  return URL.parse(address)?.protocol !== 'https:';
}

function isLoopback(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === 'http:' && LOOPBACK.has(url.hostname);
}

function withoutPort(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null) return undefined;
  url.port = '';
  return url.href;
}

/**
 * Returns a text that carries the value and a signature.
 * @param purpose a text for one purpose is none for another
 */
export function sign(secret: string, purpose: string, value: object): string {
  const body = Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${body}.${mac(secret, purpose, body).toString('base64url')}`;
}

/** Undefined for a text that was not signed with the secret for the purpose. */
export function openSigned(secret: string, purpose: string, text: string): object | undefined {
  const [body = '', signature = '', ...rest] = text.split('.');
  if (rest.length > 0) return undefined;
  if (!equalInConstantTime(Buffer.from(signature, 'base64url'), mac(secret, purpose, body))) return undefined;
  return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as object;
}

function mac(secret: string, purpose: string, body: string): Buffer {
  return createHmac('sha256', secret).update(`${purpose}\n${body}`).digest();
}
