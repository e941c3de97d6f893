import type tls from 'node:tls';
import { Agent } from 'undici';
import type { Dispatcher } from 'undici';
import type { Dial } from './dial.ts';
import { createGuardedConnector } from './guarded-connector.ts';
import { repairFirstHead } from './repair-head.ts';
import { StaleConnections } from './stale-connections.ts';
import { WaitingRequests } from './waiting-requests.ts';

/** Idle limit; servers cannot extend it. */
const KEEP_ALIVE_MS = 10_000;

/** HTTP connections opened by `dial`; idle ones close themselves. */
export interface ConnectionPool {
  readonly dispatcher: Dispatcher;
  destroy(): Promise<void>;
}

export function createConnectionPool(
  dial: Dial,
  trust: tls.SecureContext,
  keepAliveMs: number = KEEP_ALIVE_MS,
): ConnectionPool {
  const stale = new StaleConnections();
  const waiting = new WaitingRequests();
  const parts = { stale, waiting };
  const settings = { connect: createGuardedConnector(dial, trust, parts), maxHeaderSize: 65_536 };
  const agent = new Agent({
    ...settings,
    connections: 32,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
  });
  const repairing = createGuardedConnector(dial, trust, { ...parts, repair: repairFirstHead });
  const fresh = new Agent({ ...settings, connect: repairing });
  return {
    dispatcher: agent.compose(stale.repeatOver(fresh), waiting.watch()),
    async destroy() {
      await Promise.all([agent.destroy(), fresh.destroy()]);
    },
  };
}
