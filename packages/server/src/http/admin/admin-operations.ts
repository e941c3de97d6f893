import { ADMIN_OPERATIONS } from '@winnow/contract';
import type { OAuthDeps } from '../../domain/oauth/authorize-client.ts';
import type { OAuthRouteDeps } from '../oauth/oauth-routes.ts';
import type { Operation, RequestLogMode, ServiceHealth, ServiceResponse } from '@winnow/contract';
import type { FastifyInstance } from 'fastify';
import { requireAdmin, requireProject, type ProjectDeps } from '../../domain/accounts/projects.ts';
import type { AlertDeps } from '../../domain/alerts/alerts.ts';
import type { SignedIn } from '../../domain/accounts/sessions.ts';
import { SMALL_BODY_BYTES } from '../bodies/limit-bodies.ts';
import { toRoute, type AnswerOf, type BodyOf, type OperationCall, type Work } from '../routes/add-operations.ts';
import { refuseForeignOrigin, requireSession, requireSignedIn, type SessionSettings } from './admin-session.ts';
import type { AbortBroadcaster } from '../../domain/shared/time-limit.ts';
import type { PasswordDeps, User } from '../../domain/accounts/ports.ts';
import type { DumpDomDeps } from '../../domain/capture/dump-dom.ts';
import type { ExtractPageDeps } from '../../domain/extraction/extract-page.ts';
import type { PreviewRenderer } from '../../domain/inspection/find-main-content.ts';
import type { MetricRepository } from '../../domain/metrics/ports.ts';
import type { KeyRepository, Project, ProjectRepository } from '../../domain/keys/key-ports.ts';
import type { RequestLogRepository } from '../../domain/request-log/ports.ts';
import type { RequestLogRecorderDeps } from '../../domain/request-log/request-log-recorder.ts';
import type { TeachSiteDeps } from '../../domain/templates/teach-site.ts';
import type { DeleteSnapshotDeps } from '../../domain/storage/delete-snapshot.ts';
import type { UsageRepository } from '../../domain/storage/project-quota.ts';
import type { SiteNotesRepository, TemplateRepository, TemplateWorker } from '../../domain/templates/template-ports.ts';
import type { RouteSettings } from '../requests/request-context.ts';
import type { BatchRouteDeps } from '../routes/batch-routes.ts';
import type { ReadinessChecks } from '../routes/health-routes.ts';

export interface AdminDeps {
  readonly accounts: PasswordDeps;
  readonly projects: ProjectRepository;
  readonly keys: KeyRepository;
  readonly oauth: Pick<OAuthDeps, 'settings'> & Pick<OAuthRouteDeps, 'baseUrl'>;
  readonly metrics: MetricRepository;
  readonly batches: BatchRouteDeps;
  readonly alerts: AlertDeps;
  readonly requests: RequestLogRepository;
  readonly requestLog: Pick<RequestLogRecorderDeps, 'maxAgeMs' | 'maxRows' | 'maxBytes'> & {
    readonly mode: RequestLogMode;
  };
  readonly usage: UsageRepository;
  readonly pages: ExtractPageDeps & DumpDomDeps & DeleteSnapshotDeps;
  readonly previewRenderer: PreviewRenderer;
  readonly readiness: ReadinessChecks;
  readonly load: () => Promise<ServiceLoad>;
  /** A function, because the address is known only after listening. */
  readonly service: () => Omit<ServiceResponse, 'request_id' | 'engines'>;
  readonly settings: RouteSettings;
  readonly siteTemplates: TemplateAdminDeps;
  readonly sessionSettings: SessionSettings;
  /** Aborts running requests at shutdown. */
  readonly stop: AbortBroadcaster;
}

/** Pays for what a session orders. */
export function sessionKeyId({ id }: Pick<User, 'id'>): string {
  return `session:${id}`;
}

export function projectDeps(deps: AdminDeps): ProjectDeps {
  return { ...deps.accounts, projects: deps.projects, keys: deps.keys };
}

export interface TemplateAdminDeps extends Pick<TeachSiteDeps, 'examples' | 'snapshots' | 'content'> {
  readonly repository: TemplateRepository;
  readonly notes: SiteNotesRepository;
  readonly worker: TemplateWorker;
  /** Makes changes visible at once. */
  readonly onChange: () => void;
}

/** What the parts of this process are doing. */
export type ServiceLoad = Omit<ServiceHealth, 'request_id' | 'checks'>;

const {
  extract: _extract,
  dump: _dump,
  createBatch: _createBatch,
  createCrawl: _createCrawl,
  ...OPERATIONS
} = ADMIN_OPERATIONS;

export interface AdminCall<O extends Operation> extends Omit<OperationCall<O>, 'readBody' | 'accept'> {
  readonly body: BodyOf<O>;
  /** Throws without a session; for operations with access `member` or `admin`. */
  readonly signedIn: () => SignedIn;
  /**
   * Returns the project that the path names.
   * @throws {AppError} `not_found`, also for a project that the user may not see
   */
  readonly findProject: () => Promise<Project>;
}

type AdminHandler<O extends Operation> = (call: AdminCall<O>) => Promise<AnswerOf<O>>;
export type AdminHandlers = { readonly [Id in keyof typeof OPERATIONS]: AdminHandler<(typeof OPERATIONS)[Id]> };

/** Makes the handlers of one subject. All of them together are {@link AdminHandlers}. */
export function defineHandlers<H extends Partial<AdminHandlers>>(make: (deps: AdminDeps) => H): (deps: AdminDeps) => H {
  return make;
}

/** Each operation checks access, then query and body, then runs its handler. */
export function addAdminOperations(app: FastifyInstance, deps: AdminDeps, handlers: AdminHandlers): void {
  for (const [id, operation] of Object.entries(OPERATIONS) as [keyof AdminHandlers, Operation][]) {
    const handler = handlers[id] as AdminHandler<Operation>;
    const work: Work<Operation> = ({ readBody, ...call }) => {
      const signedIn = (): SignedIn => requireSignedIn(call.request);
      const { project_id: projectId = '' } = call.params as { readonly project_id?: string };
      const findProject = async (): Promise<Project> => requireProject(projectDeps(deps), signedIn().user, projectId);
      return handler({ ...call, body: readBody(), signedIn, findProject });
    };
    app.route({
      ...toRoute(operation, work, deps.settings),
      ...(operation.access === 'nobody' ? { bodyLimit: SMALL_BODY_BYTES, config: { bodyLimitSetting: null } } : {}),
      onRequest: async (request) => {
        if (operation.access === 'nobody') return refuseForeignOrigin(request, deps.sessionSettings);
        const { user } = await requireSession(deps.accounts, deps.sessionSettings, request);
        if (operation.access === 'admin') requireAdmin(user);
      },
    });
  }
}

export function readFilterTime(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
