import type { FastifyInstance } from 'fastify';
import { basePathOf, type Config } from '../config/config.ts';
import { createSetupLink, oneTimeLinkUrl } from '../domain/accounts/links.ts';
import type { PasswordDeps } from '../domain/accounts/ports.ts';
import { MetricRecorder } from '../domain/metrics/metric-recorder.ts';
import type { BrowserPoolState, FinishedItem } from '../domain/metrics/ports.ts';
import type { Logger } from '../domain/shared/ports.ts';
import { RequestLogRecorder } from '../domain/request-log/request-log-recorder.ts';
import { addAdminRoutes } from '../http/admin/admin-routes.ts';
import type { AdminDeps } from '../http/admin/admin-operations.ts';
import { addConsole } from '../http/console.ts';
import type { RequestRecorder } from '../http/requests/service-metrics.ts';
import type { RequestLogger } from '../http/requests/request-log.ts';
import type { Store } from '../store/open-store.ts';

export interface ConsoleParts extends Pick<
  AdminDeps,
  | 'alerts'
  | 'pages'
  | 'previewRenderer'
  | 'settings'
  | 'siteTemplates'
  | 'requestLog'
  | 'stop'
  | 'batches'
  | 'readiness'
  | 'load'
> {
  readonly store: Store;
  readonly passwords: PasswordDeps['passwords'];
  /** Null: the listening address. */
  readonly addresses: Pick<Config, 'baseUrl' | 'baseUrlOverseas' | 'consoleUrl' | 'consoleUrlOverseas' | 'region'>;
  readonly retentionAgeMs: number;
  readonly version: string;
  readonly folder: string;
  readonly browserPool?: () => BrowserPoolState;
  readonly logger: Logger;
}

export interface ConsoleRoom {
  readonly plugin: (app: FastifyInstance) => void;
  readonly recordRequest: RequestRecorder;
  readonly recordItem: (item: FinishedItem) => void;
  readonly logRequest: RequestLogger;
  /**
   * Call it with the listening address. Returns the one-time link for the first administrator; undefined once there is
   * one.
   */
  start(listening: string): Promise<string | undefined>;
  close(): Promise<void>;
}

export function openConsole(parts: ConsoleParts): ConsoleRoom {
  const { store, addresses, logger } = parts;
  let listening = '';
  const baseUrl = (): string => addresses.baseUrl?.replace(/(?<!\/)\/+$/, '') ?? listening;
  const consoleUrl = (): string => addresses.consoleUrl ?? `${baseUrl()}/console`;
  const recorder = new MetricRecorder({
    metrics: store.metrics,
    browserPool: parts.browserPool,
    onError: (error) => logger.warn({ err: error }, 'metrics could not be written'),
  });
  const requestLog = new RequestLogRecorder({
    ...parts.requestLog,
    requests: store.requests,
    projects: store.projects,
    onError: (error) => logger.warn({ err: error }, 'request log could not be written'),
    onDropped: (count) => logger.warn({ count }, 'requests not recorded in the request log: too many at a time'),
  });
  const origins = [addresses.consoleUrl, addresses.baseUrl].flatMap((url) => (url === null ? [] : new URL(url).origin));
  const deps: AdminDeps = {
    ...store,
    ...parts,
    accounts: { ...store.accounts, passwords: parts.passwords },
    oauth: { settings: store.settings, baseUrl: addresses.baseUrl },
    service: () => ({
      version: parts.version,
      region: addresses.region ?? 'default',
      base_url: baseUrl(),
      base_url_overseas: addresses.baseUrlOverseas,
      console_url: consoleUrl(),
      console_url_overseas: addresses.consoleUrlOverseas,
      retention_age_ms: parts.retentionAgeMs,
      dump_timeout_ms: parts.settings.dumpTimeoutMs,
    }),
    sessionSettings: { secureCookies: (addresses.consoleUrl ?? addresses.baseUrl ?? '').startsWith('https:'), origins },
  };
  return {
    plugin: (app) => {
      addAdminRoutes(app, deps);
      addConsole(app, parts.folder, addresses.baseUrl === null ? '' : basePathOf(addresses.baseUrl));
    },
    recordRequest: (request) => recorder.record(request),
    recordItem: (item) => recorder.recordItem(item),
    logRequest: (request) => requestLog.record(request),
    start: async (url) => {
      listening = url;
      recorder.start();
      requestLog.start();
      const created = await createSetupLink(store.accounts);
      return created && oneTimeLinkUrl(consoleUrl(), created.token);
    },
    close: async () => {
      await recorder.stop();
      await requestLog.stop();
    },
  };
}
