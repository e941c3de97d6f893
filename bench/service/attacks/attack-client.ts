/** Clients of the attacked service: a stranger, a key and a member. */
import { connect } from 'node:net';
import { once } from 'node:events';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { ServiceProcess } from '../../../test/support/service-process.ts';

const WINNOW = path.join(import.meta.dirname, '../../../winnow');
const PASSWORD = 'a horse that staples';

export interface AttackRequest {
  readonly method?: string;
  readonly body?: string | Buffer | object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request and reads the whole answer. */
export type Send = (target: string, request?: AttackRequest) => Promise<AttackAnswer>;

export interface AttackAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Empty for a large answer. */
  readonly text: string;
}

export interface Attackers {
  /** Has no key and no session; each request has another client address. */
  readonly stranger: Send;
  /** Uses a key of the project. */
  readonly key: Send;
  /** Is signed in to the console as a member of the project. */
  readonly member: Send;
  /** Sends raw bytes and waits until the service closes the connection. */
  sendRaw(bytes: string): Promise<void>;
  /** Key of another caller in the project. */
  readonly otherKey: string;
}

/**
 * @param service in its first start
 * @param findUrl returns the address of the service, which changes when it restarts
 */
export async function createAttackers(
  service: ServiceProcess,
  findUrl: () => string,
  dataDir: string,
): Promise<Attackers> {
  const first = service.firstStart;
  if (first === null) throw new Error('not the first start of the service');
  const send: Send = (target, request) => sendTo(findUrl(), target, request);
  const session = await signUp(send, service.setupUrl ?? '');
  let strangers = 0;
  return {
    stranger: (target, { headers, ...request } = {}) => {
      strangers += 1;
      const from = `10.${(strangers >> 16) & 255}.${(strangers >> 8) & 255}.${strangers & 255}`;
      return send(target, { ...request, headers: { 'X-Forwarded-For': from, ...headers } });
    },
    key: withHeaders(send, { 'X-API-Key': first.key_only_key }),
    member: withHeaders(send, session),
    sendRaw: async (bytes) => {
      const { hostname, port } = new URL(findUrl());
      const socket = connect({ host: hostname, port: Number(port) });
      socket.resume().end(bytes);
      await once(socket, 'close');
    },
    otherKey: await createKey(dataDir, first.project_id),
  };
}

function withHeaders(send: Send, own: Readonly<Record<string, string>>): Send {
  return (target, { headers, ...request } = {}) => send(target, { ...request, headers: { ...own, ...headers } });
}

async function sendTo(
  url: string,
  target: string,
  { method, body, headers }: AttackRequest = {},
): Promise<AttackAnswer> {
  const content = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const answer = await fetch(url + target, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(content === undefined ? {} : { body: content as BodyInit }),
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, headers: answer.headers, text: bytes.length < 100_000 ? bytes.toString() : '' };
}

async function signUp(send: Send, setupUrl: string): Promise<Record<string, string>> {
  const account = { token: setupUrl.split('#')[1], email: 'admin@example.com', password: PASSWORD };
  const { text, headers } = await send('/admin/v1/links/accept', { body: account });
  const { csrf_token: csrf } = JSON.parse(text) as { csrf_token: string };
  return { Cookie: headers.getSetCookie()[0]?.split(';', 1)[0] ?? '', 'X-CSRF-Token': csrf };
}

async function createKey(dataDir: string, projectId: string): Promise<string> {
  const order = ['keys', 'create', '--project', projectId, '--standalone', '--json'];
  const { stdout } = await promisify(execFile)(WINNOW, order, { env: { ...process.env, WINNOW_DATA_DIR: dataDir } });
  return (JSON.parse(stdout) as { key: string }).key;
}
