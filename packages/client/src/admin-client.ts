import type {
  AcceptLinkRequest,
  AuditList,
  BatchItemList,
  BatchItemQuery,
  BatchList,
  BatchQuery,
  BatchResponse,
  ChangePasswordRequest,
  CreateKeyRequest,
  CreateKeyResponse,
  DeletedResponse,
  DumpRequest,
  DumpResponse,
  ExtractRequest,
  ExtractResponse,
  InviteRequest,
  KeyList,
  KeyResponse,
  LinkResponse,
  LoggedRequestList,
  LoggedRequestQuery,
  LoggedRequestResponse,
  MemberList,
  MemberResponse,
  MetricsQuery,
  MetricsResponse,
  OneTimeLinkResponse,
  ProjectList,
  ProjectResponse,
  ServiceResponse,
  SessionResponse,
  SignInRequest,
  SignedOutResponse,
  SnapshotHtmlResponse,
  SnapshotList,
  SnapshotQuery,
  SnapshotResponse,
  SiteExampleList,
  SiteExampleResponse,
  SiteList,
  SiteMarksRequest,
  SiteOutline,
  TemplateDocument,
  TemplateList,
  TemplatePreviewRequest,
  TemplateResponse,
  TemplateState,
  TemplateTestRequest,
  TemplateTestResponse,
  UpdateMemberRequest,
  UpdateProjectRequest,
} from './contract-types.ts';
import { Transport } from './send.ts';
import { WinnowApiError } from './errors.ts';
import type { Call, CallOptions, TransportOptions } from './send.ts';

const SESSION = '/admin/v1/session';
const TEMPLATES = '/admin/v1/templates';

/**
 * The console's interface under `/admin/v1`, for a page that the service itself served: the browser
 * keeps the session's cookie, this class keeps the CSRF token that belongs to it.
 */
export class WinnowAdminClient {
  readonly #transport: Transport;
  #session: SessionResponse | undefined;

  constructor(options: TransportOptions) {
    // A person waits: an error at once is better than a silent retry.
    this.#transport = new Transport({ ...options, maxRetries: options.maxRetries ?? 0 });
  }

  /**
   * Sends any call below `/admin/v1`, a change with the CSRF token. If another window has started a newer session of
   * the same user, fetches its token and retries.
   */
  async send<T>(call: Call, options?: CallOptions): Promise<T> {
    if (call.method === 'GET') return this.#transport.send(call, options);
    const sent = this.#session;
    try {
      return await this.#sendWithToken(call, options);
    } catch (error) {
      const isForbidden = error instanceof WinnowApiError && error.code === 'forbidden';
      if (!isForbidden || !(await this.#isSucceeded(sent, options))) throw error;
      return this.#sendWithToken(call, options);
    }
  }

  async #sendWithToken<T>(call: Call, options: CallOptions | undefined): Promise<T> {
    const headers = { ...call.headers };
    if (this.#session !== undefined) headers['x-csrf-token'] = this.#session.csrf_token;
    return this.#transport.send({ ...call, headers }, options);
  }

  /** Whether the same user has a newer session than `sent`. */
  async #isSucceeded(sent: SessionResponse | undefined, options: CallOptions | undefined): Promise<boolean> {
    try {
      const { user, csrf_token: token } = await this.session(options);
      return token !== sent?.csrf_token && (sent === undefined || sent.user.id === user.id);
    } catch {
      return false;
    }
  }

  /* ------------------------------------------------------------ session */

  async session(options?: CallOptions): Promise<SessionResponse> {
    return this.#keep(await this.send<SessionResponse>({ method: 'GET', path: SESSION }, options));
  }

  async signIn(body: SignInRequest): Promise<SessionResponse> {
    return this.#keep(await this.send<SessionResponse>({ method: 'POST', path: SESSION, body }));
  }

  async signOut(): Promise<SignedOutResponse> {
    return this.send({ method: 'DELETE', path: SESSION });
  }

  /** Ends every session of the account, this one included. */
  async signOutEverywhere(): Promise<SignedOutResponse> {
    return this.send({ method: 'DELETE', path: '/admin/v1/sessions' });
  }

  async changePassword(body: ChangePasswordRequest): Promise<SessionResponse> {
    return this.#keep(await this.send({ method: 'POST', path: `${SESSION}/password`, body }));
  }

  async lookUpLink(token: string): Promise<LinkResponse> {
    return this.send({ method: 'POST', path: '/admin/v1/links/lookup', body: { token } });
  }

  async acceptLink(body: AcceptLinkRequest): Promise<SessionResponse> {
    return this.#keep(await this.send({ method: 'POST', path: '/admin/v1/links/accept', body }));
  }

  /* ------------------------------------------------- service, projects, keys */

  async service(): Promise<ServiceResponse> {
    return this.send({ method: 'GET', path: '/admin/v1/service' });
  }

  async metrics(query: MetricsQuery): Promise<MetricsResponse> {
    return this.send({ method: 'GET', path: '/admin/v1/metrics', query: { ...query } });
  }

  async projects(): Promise<ProjectList> {
    return this.send({ method: 'GET', path: '/admin/v1/projects' });
  }

  async createProject(name: string): Promise<ProjectResponse> {
    return this.send({ method: 'POST', path: '/admin/v1/projects', body: { name } });
  }

  async updateProject(projectId: string, body: UpdateProjectRequest): Promise<ProjectResponse> {
    return this.send({ method: 'PATCH', path: projectPath(projectId), body });
  }

  async keys(projectId: string): Promise<KeyList> {
    return this.send({ method: 'GET', path: projectPath(projectId, 'keys') });
  }

  async createKey(projectId: string, body: CreateKeyRequest): Promise<CreateKeyResponse> {
    return this.send({ method: 'POST', path: projectPath(projectId, 'keys'), body });
  }

  async revokeKey(projectId: string, keyId: string): Promise<KeyResponse> {
    return this.send({ method: 'DELETE', path: projectPath(projectId, 'keys', keyId) });
  }

  /* ------------------------------------------------------ pages, snapshots */

  /** `POST /v1/extract` for a project, without a key. */
  async extract(projectId: string, body: ExtractRequest, options?: CallOptions): Promise<ExtractResponse> {
    return this.send({ method: 'POST', path: projectPath(projectId, 'extract'), body }, options);
  }

  /** `POST /v1/dom/dump` for a project, without a key. */
  async dump(projectId: string, body: DumpRequest, options?: CallOptions): Promise<DumpResponse> {
    return this.send({ method: 'POST', path: projectPath(projectId, 'dump'), body }, options);
  }

  async requests(projectId: string, query: LoggedRequestQuery = {}): Promise<LoggedRequestList> {
    return this.send({ method: 'GET', path: projectPath(projectId, 'requests'), query: { ...query } });
  }

  /** @param id of the log entry, or a request id */
  async request(projectId: string, id: string): Promise<LoggedRequestResponse> {
    return this.send({ method: 'GET', path: projectPath(projectId, 'requests', id) });
  }

  async batches(projectId: string, query: BatchQuery = {}): Promise<BatchList> {
    return this.send({ method: 'GET', path: projectPath(projectId, 'batches'), query: { ...query } });
  }

  async batch(projectId: string, id: string): Promise<BatchResponse> {
    return this.send({ method: 'GET', path: projectPath(projectId, 'batches', id) });
  }

  /** Finished items of a batch without the content of their pages. */
  async batchItems(projectId: string, id: string, query: BatchItemQuery = {}): Promise<BatchItemList> {
    return this.send({ method: 'GET', path: projectPath(projectId, 'batches', id, 'items'), query: { ...query } });
  }

  async cancelBatch(projectId: string, id: string): Promise<BatchResponse> {
    return this.send({ method: 'POST', path: projectPath(projectId, 'batches', id, 'cancel') });
  }

  async deleteBatch(projectId: string, id: string): Promise<DeletedResponse> {
    return this.send({ method: 'DELETE', path: projectPath(projectId, 'batches', id) });
  }

  /** Address of all results as JSON Lines, for a link: the browser sends its cookie along. */
  batchResultsUrl(projectId: string, id: string): string {
    return `${this.#transport.baseUrl}${projectPath(projectId, 'batches', id, 'results.ndjson')}`;
  }

  async snapshots(projectId: string, query: SnapshotQuery = {}): Promise<SnapshotList> {
    return this.send({ method: 'GET', path: projectPath(projectId, 'snapshots'), query: { ...query } });
  }

  async snapshot(projectId: string, domId: string): Promise<SnapshotResponse> {
    return this.send({ method: 'GET', path: projectPath(projectId, 'snapshots', domId) });
  }

  async snapshotHtml(projectId: string, domId: string): Promise<SnapshotHtmlResponse> {
    return this.send({ method: 'GET', path: projectPath(projectId, 'snapshots', domId, 'html') });
  }

  async deleteSnapshot(projectId: string, domId: string): Promise<DeletedResponse> {
    return this.send({ method: 'DELETE', path: projectPath(projectId, 'snapshots', domId) });
  }

  /* --------------------------------------------------------------- templates */

  /** Lists the sites of a project whose pages help to extract others, the newest first. */
  async sites(projectId: string, query: { domain?: string | undefined } = {}): Promise<SiteList> {
    return this.send({ method: 'GET', path: projectPath(projectId, 'sites'), query });
  }

  /** Lists the marked snapshots of a host, and what they teach. */
  async examples(projectId: string, host: string): Promise<SiteExampleList> {
    return this.send({ method: 'GET', path: examplesPath(projectId, host) });
  }

  /** Lists the blocks of a snapshot with their marks. */
  async example(projectId: string, host: string, domId: string): Promise<SiteOutline> {
    return this.send({ method: 'GET', path: examplesPath(projectId, host, domId) });
  }

  /** Stores the marks of a snapshot in place of its earlier ones. */
  async putExample(
    projectId: string,
    host: string,
    domId: string,
    body: SiteMarksRequest,
  ): Promise<SiteExampleResponse> {
    return this.send({ method: 'PUT', path: examplesPath(projectId, host, domId), body });
  }

  async deleteExample(projectId: string, host: string, domId: string): Promise<SiteExampleList> {
    return this.send({ method: 'DELETE', path: examplesPath(projectId, host, domId) });
  }

  /** Activates what the examples of a host teach, for the project. */
  async teachSite(projectId: string, host: string): Promise<TemplateResponse> {
    return this.send({ method: 'POST', path: projectPath(projectId, 'sites', host, 'teach') });
  }

  async templates(
    query: { state?: TemplateState | undefined; domain?: string | undefined; cursor?: string | undefined } = {},
  ): Promise<TemplateList> {
    return this.send({ method: 'GET', path: TEMPLATES, query });
  }

  async template(name: string): Promise<TemplateResponse> {
    return this.send({ method: 'GET', path: templatePath(name) });
  }

  /** Stores a template as a candidate: with an id the next version of that template, without one a new template. */
  async importTemplate(document: TemplateDocument): Promise<TemplateResponse> {
    return this.send({ method: 'POST', path: TEMPLATES, body: document });
  }

  async changeTemplate(name: string, change: 'activate' | 'retire' | 'rollback'): Promise<TemplateResponse> {
    return this.send({ method: 'POST', path: `${templatePath(name)}/${change}` });
  }

  async testTemplate(name: string, body: TemplateTestRequest): Promise<TemplateTestResponse> {
    return this.send({ method: 'POST', path: `${templatePath(name)}/test`, body });
  }

  /** Tries a template that is not stored. */
  async previewTemplate(body: TemplatePreviewRequest): Promise<TemplateTestResponse> {
    return this.send({ method: 'POST', path: `${TEMPLATES}/preview`, body });
  }

  /* --------------------------------------------------------- members, audit */

  async members(): Promise<MemberList> {
    return this.send({ method: 'GET', path: '/admin/v1/members' });
  }

  async invite(body: InviteRequest): Promise<OneTimeLinkResponse> {
    return this.send({ method: 'POST', path: '/admin/v1/invitations', body });
  }

  async withdrawInvitation(id: string): Promise<DeletedResponse> {
    return this.send({ method: 'DELETE', path: `/admin/v1/invitations/${encodeURIComponent(id)}` });
  }

  async updateMember(id: string, body: UpdateMemberRequest): Promise<MemberResponse> {
    return this.send({ method: 'PATCH', path: `/admin/v1/members/${encodeURIComponent(id)}`, body });
  }

  async createResetLink(id: string): Promise<OneTimeLinkResponse> {
    return this.send({ method: 'POST', path: `/admin/v1/members/${encodeURIComponent(id)}/reset-link` });
  }

  async audit(query: { cursor?: string | undefined; limit?: number | undefined } = {}): Promise<AuditList> {
    return this.send({ method: 'GET', path: '/admin/v1/audit', query });
  }

  #keep(session: SessionResponse): SessionResponse {
    this.#session = session;
    return session;
  }
}

/** `/admin/v1/projects/{id}/…`, every part encoded. */
export function projectPath(projectId: string, ...parts: string[]): string {
  return ['/admin/v1/projects', ...[projectId, ...parts].map(encodeURIComponent)].join('/');
}

function examplesPath(projectId: string, host: string, ...domIds: string[]): string {
  return projectPath(projectId, 'sites', host, 'examples', ...domIds);
}

function templatePath(name: string): string {
  return `${TEMPLATES}/${encodeURIComponent(name)}`;
}
