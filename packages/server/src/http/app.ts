import { API_OPERATIONS, HEADERS, type RequestLogMode } from '@winnow/contract';
import Fastify from 'fastify';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AbortBroadcaster } from '../domain/shared/time-limit.ts';
import type { LargeWork } from '../domain/admission/large-work.ts';
import type { KeyQuota } from '../domain/admission/quotas.ts';
import type { AuthenticateDeps } from '../domain/keys/authenticate.ts';
import type { DumpDomDeps } from '../domain/capture/dump-dom.ts';
import type { ExtractPageDeps } from '../domain/extraction/extract-page.ts';
import type { DeleteSnapshotDeps } from '../domain/storage/delete-snapshot.ts';
import { answerClientError, answerConnect, answerExpectation, refuseBadHead } from './requests/client-error.ts';
import { createBoundedServer } from './requests/bounded-server.ts';
import { compressAnswers } from './answers/compress-answers.ts';
import { acceptJsonBodies, type LargeJsonParser } from './bodies/json-body.ts';
import { addOperations } from './routes/add-operations.ts';
import { decorateRequests, chooseRequestId, type RouteSettings } from './requests/request-context.ts';
import { addRequestRecording, type ServedRecorder } from './requests/service-metrics.ts';
import { addRequestLog, RequestLog, type RequestLogger } from './requests/request-log.ts';
import { leaveWhileStopping } from './requests/leave-while-stopping.ts';
import { limitBodies, paceLargeAnswers } from './bodies/limit-bodies.ts';
import { batchHandlers, type BatchRouteDeps } from './routes/batch-routes.ts';
import { addDocumentationRoutes } from './routes/documentation-routes.ts';
import { dumpHandler } from './routes/dump-route.ts';
import { extractHandler } from './routes/extract-route.ts';
import { healthHandlers, type IndexOptions, type ReadinessChecks } from './routes/health-routes.ts';
import { refuseNulInUrl, refuseQuery } from './bodies/validate-body.ts';
import { snapshotHandlers } from './routes/snapshot-routes.ts';
import { sendError, refuseUnknownRoutes } from './answers/send-error.ts';
import { joinTrace } from './requests/trace-context.ts';
import { openWorkflowScope } from './requests/authenticate-request.ts';

export interface AppDeps extends ExtractPageDeps, DumpDomDeps, AuthenticateDeps, IndexOptions {
  /** Page size limit. */
  readonly maxPageBytes: number;
  readonly snapshots: DeleteSnapshotDeps['snapshots'];
  readonly content: DeleteSnapshotDeps['content'];
  readonly settings: RouteSettings & {
    readonly maxBodyBytes: number;
    /** Reverse proxies whose `X-Forwarded-For` is trusted. */
    readonly trustedProxies: readonly string[];
  };
  readonly quota: KeyQuota;
  readonly largeWork: LargeWork;
  readonly largeBodies: LargeJsonParser;
  readonly batchRoutes: BatchRouteDeps;
  /** For the documentation. */
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly logger: FastifyBaseLogger;
  readonly readiness: ReadinessChecks;
  /** Additional routes and hooks: metrics, console. */
  readonly plugins?: readonly ((app: FastifyInstance) => Promise<void> | void)[];
  /** Additional routes with keys, quotas and stages; each has its own scope. */
  readonly keyedPlugins?: readonly ((scope: FastifyInstance) => void)[];
  readonly recorders?: readonly ServedRecorder[];
  readonly requestLog: { readonly mode: RequestLogMode; readonly log: RequestLogger };
  /** Whether spans of requests are exported. */
  readonly exportsTraces: boolean;
  /** Aborted after the grace period, with an AppError. */
  readonly stop: AbortBroadcaster;
  /** True once new requests are rejected. */
  readonly isStopping: () => boolean;
}

/** Longer than the usual 60 s of reverse proxies, which then never send on a closing connection. */
const KEEP_ALIVE_MS = 72_000;

/** Characters of a path parameter; ids are shorter. */
const MAX_PARAM_LENGTH = 200;

/** Builds the app without listening. Closing it closes no dependency. */
export function buildApp(deps: AppDeps): FastifyInstance {
  const app = Fastify({
    loggerInstance: deps.logger,
    logController: new RequestLog(),
    bodyLimit: deps.settings.maxBodyBytes,
    requestIdHeader: false,
    // A reverse proxy may keep or remove the public path.
    rewriteUrl: ({ url = '/' }) => toUsualPath(withoutBasePath(url, deps.basePath)),
    trustProxy: deps.settings.trustedProxies.length > 0 ? [...deps.settings.trustedProxies] : false,
    genReqId: (raw) => chooseRequestId(raw.headers[HEADERS.requestId.toLowerCase()]),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // A hook rejects requests while stopping, in the format of other errors.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: answerClientError,
    serverFactory: (answer) => {
      // A hook rejects requests without a host, in the format of other errors.
      const onFull = (connections: number): void =>
        deps.logger.warn(
          { connections },
          'the most connections are open; each new one closes the oldest one without a request. A higher limit of open files (ulimit -n) allows up to 10,000',
        );
      const server = createBoundedServer({ requireHostHeader: false, onFull }, answer);
      server.keepAliveTimeout = KEEP_ALIVE_MS;
      return server;
    },
    // Router errors skip hooks.
    frameworkErrors: (error, request, reply) => {
      identify(request, reply, deps.exportsTraces);
      void sendError(error, request, reply);
    },
  });
  app.server.on('checkExpectation', answerExpectation);
  app.server.on('connect', answerConnect);
  decorateRequests(app, deps.settings.engineFamily);
  acceptJsonBodies(app, deps.largeBodies);
  app.addHook('onRequest', (request, reply, done) => {
    identify(request, reply, deps.exportsTraces);
    done();
  });
  app.addHook('onRequest', refuseBadHead);
  app.addHook('onRequest', refuseNulInUrl);
  leaveWhileStopping(app, deps.isStopping);
  const { maxBodyBytes, bodyLimits } = deps.settings;
  const largestBodyBytes = Math.max(maxBodyBytes, ...Object.values(bodyLimits));
  limitBodies(app, largestBodyBytes, deps.largeWork);
  if (deps.recorders) addRequestRecording(app, deps.recorders);
  addRequestLog(app, deps.requestLog.mode, deps.requestLog.log);
  paceLargeAnswers(app, deps.largeWork);
  // After the request log, which stores uncompressed text.
  compressAnswers(app);
  app.setErrorHandler(sendError);
  refuseUnknownRoutes(app);
  addOperations(app, API_OPERATIONS.health, healthHandlers(deps.readiness, deps), deps.settings);
  addDocumentationRoutes(app, {
    ...deps.settings,
    version: deps.version,
    servers: deps.servers,
    basePath: deps.basePath,
  });
  for (const plugin of deps.plugins ?? []) void app.register(async (scope) => plugin(scope));
  for (const addRoutes of deps.keyedPlugins ?? []) openWorkflowScope(app, deps, addRoutes);
  openWorkflowScope(app, deps, (v1) => addPageRoutes(v1, deps));
  return app;
}

function withoutBasePath(url: string, basePath: string): string {
  if (basePath === '' || !url.startsWith(basePath)) return url;
  const rest = url.slice(basePath.length);
  if (rest.startsWith('/')) return rest;
  return rest === '' || rest.startsWith('?') ? `/${rest}` : url;
}

/** Paths that clients write with or without the last slash. */
function toUsualPath(url: string): string {
  return url.replace(/^\/(mcp|r)\/(?=$|\?)/, '/$1');
}

function identify(request: FastifyRequest, reply: FastifyReply, exportsTraces: boolean): void {
  void reply.header(HEADERS.requestId, request.id);
  joinTrace(request, reply, exportsTraces);
}

function addPageRoutes(app: FastifyInstance, deps: AppDeps): void {
  app.addHook('preHandler', refuseQuery);
  const { settings } = deps;
  const pages = {
    extract: extractHandler(deps, settings),
    dumpDom: dumpHandler(deps, settings),
    ...snapshotHandlers(deps, settings),
  };
  addOperations(app, API_OPERATIONS.pages, pages, settings);
  addOperations(app, API_OPERATIONS.batches, batchHandlers(deps.batchRoutes, settings), settings);
}
