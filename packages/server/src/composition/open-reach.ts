import type { Facade } from '@winnow/contract';
import type { FastifyInstance } from 'fastify';
import { batchRetentionAge, type Config } from '../config/config.ts';
import type { MapSiteDeps } from '../domain/mapping/map-site.ts';
import type { AppDeps } from '../http/app.ts';
import { addFirecrawl } from '../http/facades/firecrawl.ts';
import { addJinaReader } from '../http/facades/jina-reader.ts';
import { addWebLoader } from '../http/facades/web-loader.ts';
import type { OAuthDeps } from '../domain/oauth/authorize-client.ts';
import { addOAuth } from '../http/oauth/oauth-routes.ts';
import { openMcp } from '../http/mcp/mcp-route.ts';
import type { McpServerDeps } from '../http/mcp/mcp-server.ts';
import type { BatchRouteDeps } from '../http/routes/batch-routes.ts';
import type { RouteSettings } from '../http/requests/request-context.ts';

export interface ReachParts {
  readonly pages: McpServerDeps['pages'];
  readonly batches: BatchRouteDeps;
  readonly mapping: MapSiteDeps;
  readonly settings: RouteSettings;
  readonly oauth: OAuthDeps;
  readonly version: string;
}

/** Opens the interfaces for third-party clients that are enabled. */
export function openReach(config: Config, parts: ReachParts): Required<Pick<AppDeps, 'keyedPlugins' | 'plugins'>> {
  const { pages, batches, mapping, settings, version } = parts;
  const publicUrls = [config.baseUrl, config.baseUrlOverseas, config.consoleUrl].filter((url) => url !== null);
  const originHosts = publicUrls.map((url) => new URL(url).hostname);
  const mcp = config.mcp
    ? [openMcp({ pages, crawls: batches, version, settings, originHosts, baseUrl: config.baseUrl })]
    : [];
  const oauth = { oauth: parts.oauth, baseUrl: config.baseUrl, consoleUrl: config.consoleUrl };
  const batchRetentionMs = batchRetentionAge(config);
  const facades: Readonly<Record<Facade, (scope: FastifyInstance) => void>> = {
    firecrawl: (scope) =>
      addFirecrawl(scope, { pages, settings, batches, mapping, baseUrl: config.baseUrl, batchRetentionMs }),
    jina: (scope) => addJinaReader(scope, { pages, settings }),
    'open-webui': (scope) => addWebLoader(scope, { pages, settings }),
  };
  return {
    keyedPlugins: [...mcp.map(({ addRoute }) => addRoute), ...config.facades.map((facade) => facades[facade])],
    plugins: mcp.flatMap(({ addPreflight }) => [addPreflight, (app: FastifyInstance) => addOAuth(app, oauth)]),
  };
}
