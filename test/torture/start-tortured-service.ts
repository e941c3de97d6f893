import { startServiceProcess } from '../support/service-process.ts';
import type { ServiceProcess } from '../support/service-process.ts';

/** A service for many callers of sites that are all on one address. */
export interface TorturedService extends ServiceProcess {
  readonly key: string;
  /** Lines of its log from level error on. */
  readonly errors: readonly string[];
}

/** @param key of an earlier start on the same folder: only the first start makes one */
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
      // All sites are on one address here; the port tells them apart, and one of them has all the pages.
      WINNOW_HOST_CONCURRENCY: '32',
    },
    onLine: (line) => errors.push(line),
  });
  return { ...service, key: key ?? service.key ?? '', errors };
}
