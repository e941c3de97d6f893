import type { FastifyInstance } from 'fastify';
import type { Config } from '../config/config.ts';
import type { Extractor } from '../domain/extraction/extraction-ports.ts';
import { addMcpRoute } from '../http/mcp/mcp-route.ts';
import type { McpServerDeps } from '../http/mcp/mcp-server.ts';
import type { RouteSettings } from '../http/requests/settings.ts';

export interface ReachParts {
  readonly pages: McpServerDeps['pages'];
  readonly extractor: Extractor;
  readonly settings: RouteSettings;
  readonly version: string;
}

/** Opens the interfaces for third-party clients that are enabled. */
export function openReach(config: Config, parts: ReachParts): ((scope: FastifyInstance) => void)[] {
  const { pages, extractor, settings, version } = parts;
  const publicUrls = [config.baseUrl, config.baseUrlOverseas, config.consoleUrl].filter((url) => url !== null);
  const mcp = {
    pages,
    extractor,
    version,
    settings,
    admission: settings.admission,
    originHosts: publicUrls.map((url) => new URL(url).hostname),
  };
  return config.mcp ? [(scope) => addMcpRoute(scope, mcp)] : [];
}
