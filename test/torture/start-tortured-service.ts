import { startServiceProcess } from '../support/service-process.ts';
import type { ServiceProcess } from '../support/service-process.ts';

/** A service for many callers of sites on one address. */
export interface TorturedService extends ServiceProcess {
  readonly key: string;
  /** Its log lines of level error and above. */
  readonly errors: readonly string[];
}

/** @param key key of an earlier start on the same folder; only the first start creates one */
export async function startTorturedService(
  dataDir: string,
  allow: readonly string[],
  key?: string,
): Promise<TorturedService> {
  const errors: string[] = [];
  const service = await startServiceProcess({
    dataDir,
    environment: {
      HOME: process.env['HOME'] ?? '',
      WINNOW_EGRESS_ALLOW: allow.join(','),
      WINNOW_LOG_LEVEL: 'error',
      // Nearly all requests go to one host and port.
      WINNOW_HOST_CONCURRENCY: '32',
    },
    onLine: (line) => errors.push(line),
  });
  return { ...service, key: key ?? service.key ?? '', errors };
}
