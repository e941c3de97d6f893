import { request } from 'undici';
import { AppError } from '../../domain/shared/errors.ts';
import type { Logger } from '../../domain/shared/ports.ts';
import { reasonOf } from '../../egress/dialing/map-error.ts';
import type { BrowserLease, BrowserSource, BrowserStats } from '../chromium/browsers/browser-source.ts';
import { within } from '../../domain/shared/within.ts';
import { DevtoolsConnection } from '../chromium/devtools/devtools-connection.ts';
import { openSocketTransport } from '../chromium/devtools/devtools-socket.ts';

export interface CdpFleetOptions {
  /** `ws(s)://…` of a browser's protocol socket, or `http(s)://host:port`, whose /json/version names the socket. */
  readonly urls: readonly string[];
  readonly proxyHost?: string;
  readonly proxyListenHost?: string;
  readonly maxHeapBytes: number;
  readonly logger: Logger;
}

interface Member {
  readonly url: string;
  connection: DevtoolsConnection | undefined;
  connecting: Promise<DevtoolsConnection> | undefined;
  active: number;
  /** Reading of performance.now. */
  ejectedUntil: number;
  lastFault: string | undefined;
}

const CHECK_MS = 10_000;
const CONNECT_TIMEOUT_MS = 5000;
const PROBE_TIMEOUT_MS = 3000;
/** Above the interval of probes, so that a slow browser keeps its captures. */
const MAX_SILENCE_MS = 15_000;
const EJECTION_MS = 10_000;

/**
 * Distributes captures over external Chromium browsers, least busy first. Ejects a slow member for a while; a silent
 * one loses its captures.
 */
export class CdpFleet implements BrowserSource {
  readonly #options: CdpFleetOptions;
  readonly #members: readonly Member[];
  readonly #timer: NodeJS.Timeout;
  #connected = 0;

  constructor(options: CdpFleetOptions) {
    this.#options = options;
    this.#members = options.urls.map((url) => ({
      url,
      connection: undefined,
      connecting: undefined,
      active: 0,
      ejectedUntil: 0,
      lastFault: undefined,
    }));
    this.#timer = setInterval(() => void this.check(), CHECK_MS);
    this.#timer.unref();
  }

  async lease(failed?: string): Promise<BrowserLease> {
    for (const member of this.#inOrder(failed)) {
      member.active += 1;
      try {
        const connection = await this.#connect(member);
        return this.#createLease(member, connection);
      } catch (error) {
        member.active -= 1;
        this.#eject(member, reasonOf(error));
      }
    }
    // Numbers instead of addresses, which are confidential.
    const faults = this.#members.map(({ lastFault }, index) => `${index + 1}: ${lastFault ?? 'ejected'}`);
    throw new AppError('engine_unavailable', `no CDP browser answers (${faults.join('; ')})`);
  }

  async check(): Promise<{ ok: boolean; detail: string }> {
    const answers = await Promise.all(this.#members.map((member) => this.#probe(member)));
    const healthy = answers.filter(Boolean).length;
    return { ok: healthy > 0, detail: `${healthy} of ${this.#members.length} CDP browsers answer` };
  }

  stats(): BrowserStats {
    const connected = this.#members.filter((member) => member.connection && !member.connection.isClosed);
    const active = this.#members.reduce((sum, member) => sum + member.active, 0);
    return { browsers: connected.length, active, started: this.#connected, killedRenderers: 0 };
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const member of this.#members) member.connection?.close();
  }

  /** Healthy members by load, then ejected ones, then the failed one. */
  #inOrder(failed: string | undefined): Member[] {
    const now = performance.now();
    const doubt = ({ url, ejectedUntil }: Member): number => (url === failed ? 2 : ejectedUntil > now ? 1 : 0);
    return this.#members.toSorted((one, other) => doubt(one) - doubt(other) || one.active - other.active);
  }

  #createLease(member: Member, connection: DevtoolsConnection): BrowserLease {
    const { proxyHost, proxyListenHost, maxHeapBytes } = this.#options;
    let isReleased = false;
    return {
      browser: member.url,
      connection,
      isExclusive: false,
      ...(proxyHost === undefined ? {} : { proxyHost }),
      ...(proxyListenHost === undefined ? {} : { proxyListenHost }),
      maxHeapBytes,
      killReason: () => undefined,
      // The browser is external, so it is only ejected.
      distrust: (reason) => this.#eject(member, reason),
      release: () => {
        if (!isReleased) member.active -= 1;
        isReleased = true;
      },
    };
  }

  async #connect(member: Member): Promise<DevtoolsConnection> {
    if (member.connection && !member.connection.isClosed) return member.connection;
    member.connecting ??= openConnection(member.url).finally(() => (member.connecting = undefined));
    const connection = await member.connecting;
    if (member.connection !== connection) {
      member.connection = connection;
      this.#connected += 1;
      connection.onClose(() => this.#eject(member, 'the connection was closed'));
    }
    return connection;
  }

  #eject(member: Member, fault: string): void {
    member.lastFault = fault;
    member.ejectedUntil = performance.now() + EJECTION_MS;
    this.#options.logger.warn({ browser: URL.parse(member.url)?.host ?? member.url, fault }, 'CDP browser ejected');
  }

  async #probe(member: Member): Promise<boolean> {
    try {
      const connection = await this.#connect(member);
      const version = await within(connection.send('Browser.getVersion'), PROBE_TIMEOUT_MS);
      if (!version) throw new Error(`no answer within ${PROBE_TIMEOUT_MS} ms`);
      member.ejectedUntil = 0;
      return true;
    } catch (error) {
      if (member.connection && member.connection.silentMs > MAX_SILENCE_MS) member.connection.close();
      this.#eject(member, reasonOf(error));
      return false;
    }
  }
}

async function openConnection(url: string): Promise<DevtoolsConnection> {
  const socketUrl = /^wss?:/i.test(url) ? url : await discoverSocket(url);
  return new DevtoolsConnection(await openSocketTransport(socketUrl, CONNECT_TIMEOUT_MS));
}

async function discoverSocket(url: string): Promise<string> {
  const base = new URL(url);
  const signal = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
  const response = await request(new URL('/json/version', base), { signal });
  const version = (await response.body.json()) as { webSocketDebuggerUrl?: string };
  const socket = URL.parse(version.webSocketDebuggerUrl ?? '');
  if (!socket) throw new Error('/json/version names no webSocketDebuggerUrl');
  socket.protocol = base.protocol === 'https:' ? 'wss:' : 'ws:';
  socket.host = base.host;
  return socket.href;
}
