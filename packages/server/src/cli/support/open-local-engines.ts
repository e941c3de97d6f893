import type { EnginePreference } from '@winnow/contract';
import type { Config } from '../../config/config.ts';
import { workerMemoryBytes } from '../../config/machine.ts';
import { checkTarget } from '../../domain/capture/check-target.ts';
import { createCaptureJudge } from '../../domain/extraction/judge-capture.ts';
import type { Capture, Fetcher, UrlPolicy } from '../../domain/capture/capture-ports.ts';
import type { Extractor } from '../../domain/extraction/extraction-ports.ts';
import { createShellJudge } from '../../engines/auto/shell-judge.ts';
import { openDocuments } from '../../composition/open-documents.ts';
import { openEgress } from '../../composition/open-egress.ts';
import { openFetcher } from '../../composition/open-fetcher.ts';
import { WorkerExtractor } from '../../workers/worker-extractor.ts';
import { WorkerPool } from '../../workers/worker-pool.ts';
import { DEFAULT_PAGE_OPTIONS } from '../../domain/request-options/capture-options.ts';
import type { PageOptions } from '../../domain/request-options/capture-options.ts';
import { checkPageOptions } from '../../domain/request-options/check-page-options.ts';
import { DIRECT } from '../../egress/dialing/upstream-routes.ts';

export interface LocalEngines {
  readonly worker: WorkerExtractor;
  readonly extractor: Extractor;
  readonly fetcher: Fetcher & UrlPolicy;
  /** Checks the URL as the service does, then captures. */
  capture(url: string, preference: EnginePreference, timeoutMs: number, page?: PageOptions): Promise<Capture>;
  close(): Promise<void>;
}

/** Opens engines and extraction without a service; threads and browsers start on demand. */
export function openLocalEngines(config: Config, signal: AbortSignal): LocalEngines {
  const pool = new WorkerPool({ threads: 1, memoryBytes: workerMemoryBytes(config), maxQueue: config.maxQueue });
  const worker = new WorkerExtractor(pool);
  const judge = createCaptureJudge(worker, createShellJudge(worker));
  const documents = openDocuments(config);
  const egress = openEgress(config);
  const fetcher = openFetcher(config, { egress, judge, documents });
  // The user of the command may choose any proxy.
  const requestProxies = new Set([...config.upstreamProxies.keys(), DIRECT]);
  return {
    worker,
    extractor: worker,
    fetcher,
    capture: async (text, preference, timeoutMs, page = DEFAULT_PAGE_OPTIONS) => {
      const url = checkTarget(text, 'url', fetcher);
      const options = checkPageOptions(page, url, 'options', { requestProxies });
      const proxied = page.proxy === undefined ? {} : { egress: { allow: [], deny: [], proxy: page.proxy } };
      return fetcher.capture(preference, { url, timeoutMs, signal, options, ...proxied });
    },
    close: async () => {
      await fetcher.close();
      await egress.close();
      await documents.close();
      await pool.close();
    },
  };
}
