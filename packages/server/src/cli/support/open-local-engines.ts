import type { Config } from '../../config/config.ts';
import { workerMemoryBytes } from '../../config/machine.ts';
import { checkTarget } from '../../domain/capture/check-target.ts';
import { createDumpJudge, createHtmlJudge, type HtmlJudge } from '../../domain/extraction/judge-capture.ts';
import type {
  Capture,
  CaptureJudge,
  DocumentConverter,
  Fetcher,
  UrlPolicy,
} from '../../domain/capture/capture-ports.ts';
import type { Extractor } from '../../domain/extraction/extraction-ports.ts';
import { createShellJudge } from '../../domain/shells/judge-shell.ts';
import { openFetcher, openDocuments, openEgress } from '../../composition/open-fetcher.ts';
import { WorkerExtractor } from '../../workers/worker-extractor.ts';
import { WorkerPool } from '../../workers/worker-pool.ts';
import type { PageOptions } from '../../domain/request-options/page-options.ts';
import { checkPageOptions } from '../../domain/request-options/check-page-options.ts';
import { DIRECT } from '../../egress/dialing/upstream-routes.ts';

export interface LocalEngines {
  readonly worker: WorkerExtractor;
  readonly extractor: Extractor;
  readonly fetcher: Fetcher & UrlPolicy;
  readonly judgeHtml: HtmlJudge;
  readonly judgeDump: CaptureJudge;
  readonly documents: DocumentConverter;
  /** Checks the URL as the service does, then captures. */
  capture(url: string, page: PageOptions, timeoutMs: number): Promise<Capture>;
  close(): Promise<void>;
}

/** Opens engines and extraction without a service; workers and browsers start on demand. */
export function openLocalEngines(config: Config, signal: AbortSignal): LocalEngines {
  const pool = new WorkerPool({ workers: 1, memoryBytes: workerMemoryBytes(config), maxQueue: config.maxQueue });
  const worker = new WorkerExtractor(pool);
  const judgeHtml = createHtmlJudge(createShellJudge(worker));
  const judgeDump = createDumpJudge(judgeHtml, worker);
  const documents = openDocuments(config);
  const egress = openEgress(config);
  const fetcher = openFetcher(config, { egress, documents });
  // The user of the command may choose any proxy.
  const requestProxies = new Set([...config.upstreamProxies.keys(), DIRECT]);
  return {
    worker,
    extractor: worker,
    fetcher,
    judgeHtml,
    judgeDump,
    documents,
    capture: async (text, page, timeoutMs) => {
      const url = checkTarget(text.trim(), 'url', fetcher);
      const options = checkPageOptions(page, url, 'options', { requestProxies });
      const proxied = page.proxy === undefined ? {} : { egress: { allow: [], deny: [], proxy: page.proxy } };
      return fetcher.capture(page.engine_preference ?? 'auto', {
        url,
        timeoutMs,
        signal,
        options,
        judge: judgeDump,
        ...proxied,
      });
    },
    close: async () => {
      await fetcher.close();
      await egress.close();
      await documents.close();
      await pool.close();
    },
  };
}
