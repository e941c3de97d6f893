import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { CaptureJudge, Fetcher, HostMemory } from './domain/ports.ts';
import { createEgress } from './egress/egress.ts';
import { createHttpEngine } from './engines/http/http-engine.ts';

export interface ClosableFetcher extends Fetcher {
  check(): Promise<string>;
  close(): Promise<void>;
}

export function openFetcher(
  config: Config,
  _judge: CaptureJudge,
  _memory: HostMemory,
  _logger: Logger,
): ClosableFetcher {
  const egress = createEgress({ rules: { allow: config.egressAllow, deny: config.egressDeny } });
  const http = createHttpEngine({
    egress,
    userAgent: config.userAgent ?? 'Mozilla/5.0',
    acceptLanguage: 'en',
    maxPageBytes: config.maxPageBytes,
    maxRedirects: config.maxRedirects,
  });
  return {
    capture: (_preference, request) => http.capture(request),
    check: async () => 'not needed yet',
    close: () => egress.close(),
  };
}
