import { statfs } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { readMachine } from '../config/machine.ts';
import type { EngineFetcher } from '../engines/create-fetcher.ts';
import { usedBytes, type ProjectUsage, type StorageQuota } from '../domain/storage/project-quota.ts';
import { ServiceMetrics, type BrowserReadings, type StorageReadings } from '../http/requests/service-metrics.ts';
import type { ServiceLoad } from '../http/admin/admin-operations.ts';
import type { Admission } from './open-admission.ts';
import type { Store } from '../store/open-store.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { WorkerPool } from '../workers/worker-pool.ts';

export interface MetricParts {
  readonly store: Store;
  readonly storage: StorageQuota;
  readonly fetcher: EngineFetcher;
  readonly admission: Admission;
  readonly pool: WorkerPool;
}

export function openMetrics({ store, storage, fetcher, admission, pool }: MetricParts): ServiceMetrics {
  return new ServiceMetrics({
    queue: () => admission.queue.state(),
    hosts: () => admission.hosts.state(),
    browsers: () => readBrowsers(fetcher),
    workers: () => pool.state,
    storage: async () => {
      const projects = await store.metrics.measureStorage();
      const sum = (key: 'snapshots' | 'storedBytes'): number =>
        projects.reduce((total, project) => total + project[key], 0);
      return { snapshots: sum('snapshots'), storedBytes: sum('storedBytes') };
    },
    usage: async () => readUsage(await store.usage.list(), storage.limitBytes),
  });
}

/** Whether traces and metrics are sent to a collector. */
export function readExports(config: Config): { readonly traces: boolean; readonly metrics: boolean } {
  const isOn = config.otlpEndpoint !== null && !config.otelDisabled;
  return { traces: isOn && config.otelTraces === 'otlp', metrics: isOn && config.otelMetrics === 'otlp' };
}

interface TelemetryParts {
  readonly metrics: Pick<ServiceMetrics, 'read'>;
  readonly version: string;
  /** Tells the metrics of one process from those of another. */
  readonly node: string;
  readonly logger: Logger;
}

/** Loads the libraries of OpenTelemetry only where something is sent. */
export async function openTelemetry(
  config: Config,
  { metrics, version, node, logger }: TelemetryParts,
): Promise<Telemetry | undefined> {
  const { otlpEndpoint: endpoint, otlpHeaders: headers } = config;
  const sent = readExports(config);
  if (endpoint === null || (!sent.traces && !sent.metrics)) return undefined;
  const { Telemetry: Loaded } = await import('../telemetry/telemetry.ts');
  return new Loaded({
    ...sent,
    endpoint,
    headers,
    resource: {
      'service.version': version,
      'service.instance.id': node,
      ...config.otelResourceAttributes,
      'service.name': config.otelServiceName,
    },
    metricIntervalMs: config.otelMetricIntervalMs,
    version,
    readMetrics: () => metrics.read(),
    warn: (reason) => logger.warn({ reason }, 'the OpenTelemetry collector does not take traces or metrics'),
  });
}

/** What the parts of this process are doing, for the console. */
export async function readLoad(
  { fetcher, admission, pool }: Pick<MetricParts, 'fetcher' | 'admission' | 'pool'>,
  dataFolder: string,
): Promise<ServiceLoad> {
  const { running, waiting, expectedWaitMs } = admission.queue.state();
  const browsers = readBrowsers(fetcher);
  const disk = await statfs(dataFolder).catch(() => undefined);
  return {
    started_at: new Date(Date.now() - process.uptime() * 1000).toISOString(),
    queue: {
      running,
      waiting,
      waiting_for_sites: admission.hosts.state().waiting,
      expected_wait_ms: Math.round(expectedWaitMs),
    },
    browsers: {
      running: browsers.running,
      started: browsers.started,
      busy: browsers.leases,
      waiting: browsers.waiting,
      killed_renderers: browsers.killedRenderers,
    },
    workers: { running: pool.state.workers, waiting: pool.state.queued },
    memory: {
      process_bytes: process.memoryUsage.rss(),
      available_bytes: process.availableMemory(),
      total_bytes: readMachine().memoryBytes,
    },
    disk: disk ? { available_bytes: disk.bavail * disk.bsize, total_bytes: disk.blocks * disk.bsize } : null,
  };
}

function readUsage(projects: readonly ProjectUsage[], limitBytes: number | undefined): StorageReadings {
  const readings = { batches: 0, batchBytes: 0, largestShare: 0 };
  for (const project of projects) {
    readings.batches += project.batches;
    readings.batchBytes += project.batchBytes;
    const share = limitBytes === undefined ? 0 : usedBytes(project) / limitBytes;
    readings.largestShare = Math.max(readings.largestShare, share);
  }
  return readings;
}

export function readBrowsers(fetcher: EngineFetcher): BrowserReadings {
  const { slots, local, cdp } = fetcher.stats();
  return {
    running: local.browsers + cdp.browsers,
    started: local.started + cdp.started,
    leases: slots.active,
    waiting: slots.waiting,
    killedRenderers: local.killedRenderers + cdp.killedRenderers,
  };
}
