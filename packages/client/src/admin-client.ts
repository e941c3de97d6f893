import type * as api from './contract-types.ts';
import { Transport, type Call, type CallOptions, type TransportOptions } from './send.ts';
import { WinnowApiError } from './errors.ts';

const SESSION = '/admin/v1/session';
const TEMPLATES = '/admin/v1/templates';

/**
 * The console's interface under `/admin/v1`, for a page that the service itself served: the browser
 * keeps the session's cookie, this class keeps the CSRF token that belongs to it.
 */
export class WinnowAdminClient {
  readonly #transport: Transport;
  #session: api.SessionResponse | undefined;

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
  async #isSucceeded(sent: api.SessionResponse | undefined, options: CallOptions | undefined): Promise<boolean> {
    try {
      const { user, csrf_token: token } = await this.session(options);
      return token !== sent?.csrf_token && (sent === undefined || sent.user.id === user.id);
    } catch {
      return false;
    }
  }

  /* ------------------------------------------------------------ session */

  async session(options?: CallOptions): Promise<api.SessionResponse> {
    return this.#keep(await this.send<api.SessionResponse>({ method: 'GET', path: SESSION }, options));
  }

  readonly signIn = (body: api.SignInRequest): Promise<api.SessionResponse> => this.#begin(SESSION, body);
  readonly signOut = (): Promise<api.SignedOutResponse> => this.#delete(SESSION);
  /** Ends every session of the account, this one included. */
  readonly signOutEverywhere = (): Promise<api.SignedOutResponse> => this.#delete('/admin/v1/sessions');
  readonly changePassword = (body: api.ChangePasswordRequest): Promise<api.SessionResponse> =>
    this.#begin(`${SESSION}/password`, body);
  readonly setup = (): Promise<api.SetupResponse> => this.#get('/admin/v1/setup');
  readonly lookUpLink = (token: string): Promise<api.LinkResponse> => this.#post('/admin/v1/links/lookup', { token });
  readonly acceptLink = (body: api.AcceptLinkRequest): Promise<api.SessionResponse> =>
    this.#begin('/admin/v1/links/accept', body);

  /* ------------------------------------------------- service, projects, keys */

  readonly service = (): Promise<api.ServiceResponse> => this.#get('/admin/v1/service');
  /** For administrators. */
  readonly health = (): Promise<api.ServiceHealth> => this.#get('/admin/v1/health');
  readonly metrics = (query: api.MetricsQuery): Promise<api.MetricsResponse> => this.#get('/admin/v1/metrics', query);
  readonly projects = (): Promise<api.ProjectList> => this.#get('/admin/v1/projects');
  readonly createProject = (name: string): Promise<api.ProjectResponse> => this.#post('/admin/v1/projects', { name });
  readonly updateProject = (projectId: string, body: api.UpdateProjectRequest): Promise<api.ProjectResponse> =>
    this.#patch(projectPath(projectId), body);
  readonly alert = (projectId: string): Promise<api.AlertResponse> => this.#get(projectPath(projectId, 'alert'));
  readonly putAlert = (projectId: string, body: api.AlertRequest): Promise<api.AlertResponse> =>
    this.#put(projectPath(projectId, 'alert'), body);
  readonly deleteAlert = (projectId: string): Promise<api.DeletedResponse> =>
    this.#delete(projectPath(projectId, 'alert'));
  /** Calls the webhook of the alerts now. */
  readonly testAlert = (projectId: string): Promise<api.AlertTestResponse> =>
    this.#post(projectPath(projectId, 'alert', 'test'));
  readonly keys = (projectId: string): Promise<api.KeyList> => this.#get(projectPath(projectId, 'keys'));
  readonly createKey = (projectId: string, body: api.CreateKeyRequest): Promise<api.CreateKeyResponse> =>
    this.#post(projectPath(projectId, 'keys'), body);
  readonly authorizeClient = (
    projectId: string,
    body: api.AuthorizeClientRequest,
  ): Promise<api.AuthorizeClientResponse> => this.#post(projectPath(projectId, 'authorizations'), body);
  readonly revokeKey = (projectId: string, keyId: string): Promise<api.KeyResponse> =>
    this.#delete(projectPath(projectId, 'keys', keyId));

  /* ------------------------------------------------------ pages, snapshots */

  /** `POST /v1/extract` for a project, without a key. */
  readonly extract = (
    projectId: string,
    body: api.ExtractRequest,
    options?: CallOptions,
  ): Promise<api.ExtractResponse> => this.#post(projectPath(projectId, 'extract'), body, options);
  /** `POST /v1/dom/dump` for a project, without a key. */
  readonly dump = (projectId: string, body: api.DumpRequest, options?: CallOptions): Promise<api.DumpResponse> =>
    this.#post(projectPath(projectId, 'dump'), body, options);
  readonly requests = (projectId: string, query: api.LoggedRequestQuery = {}): Promise<api.LoggedRequestList> =>
    this.#get(projectPath(projectId, 'requests'), query);
  /** @param id of the log entry, or a request id */
  readonly request = (projectId: string, id: string): Promise<api.LoggedRequestResponse> =>
    this.#get(projectPath(projectId, 'requests', id));
  readonly batches = (projectId: string, query: api.BatchQuery = {}): Promise<api.BatchList> =>
    this.#get(projectPath(projectId, 'batches'), query);
  readonly batch = (projectId: string, id: string): Promise<api.BatchResponse> =>
    this.#get(projectPath(projectId, 'batches', id));
  /** Finished items of a batch without the content of their pages. */
  readonly batchItems = (projectId: string, id: string, query: api.BatchItemQuery = {}): Promise<api.BatchItemList> =>
    this.#get(projectPath(projectId, 'batches', id, 'items'), query);
  /** A finished item with its result or error. */
  readonly batchItem = (projectId: string, id: string, index: number): Promise<api.BatchItemResponse> =>
    this.#get(projectPath(projectId, 'batches', id, 'items', String(index)));
  /** `POST /v1/batches` for a project, without a key. */
  readonly createBatch = (projectId: string, body: api.BatchRequest): Promise<api.BatchResponse> =>
    this.#post(projectPath(projectId, 'batches'), body);
  /** `POST /v1/crawls` for a project, without a key. */
  readonly createCrawl = (projectId: string, body: api.CrawlRequest): Promise<api.BatchResponse> =>
    this.#post(projectPath(projectId, 'crawls'), body);
  /** Creates a batch of the failed items of an ended one. */
  readonly retryBatch = (projectId: string, id: string): Promise<api.BatchResponse> =>
    this.#post(projectPath(projectId, 'batches', id, 'retry'));
  readonly cancelBatch = (projectId: string, id: string): Promise<api.BatchResponse> =>
    this.#post(projectPath(projectId, 'batches', id, 'cancel'));
  readonly deleteBatch = (projectId: string, id: string): Promise<api.DeletedResponse> =>
    this.#delete(projectPath(projectId, 'batches', id));

  /** Address of all results as JSON Lines, for a link: the browser sends its cookie along. */
  batchResultsUrl(projectId: string, id: string): string {
    return `${this.#transport.baseUrl}${projectPath(projectId, 'batches', id, 'results.ndjson')}`;
  }

  readonly snapshots = (projectId: string, query: api.SnapshotQuery = {}): Promise<api.SnapshotList> =>
    this.#get(projectPath(projectId, 'snapshots'), query);
  readonly snapshot = (projectId: string, domId: string): Promise<api.SnapshotResponse> =>
    this.#get(projectPath(projectId, 'snapshots', domId));
  readonly snapshotHtml = (projectId: string, domId: string): Promise<api.SnapshotHtmlResponse> =>
    this.#get(projectPath(projectId, 'snapshots', domId, 'html'));
  readonly deleteSnapshot = (projectId: string, domId: string): Promise<api.DeletedResponse> =>
    this.#delete(projectPath(projectId, 'snapshots', domId));

  /* --------------------------------------------------------------- templates */

  /** Lists the sites of a project whose pages help to extract others, the newest first. */
  readonly sites = (projectId: string, query: { domain?: string | undefined } = {}): Promise<api.SiteList> =>
    this.#get(projectPath(projectId, 'sites'), query);
  /** Lists the marked snapshots of a host, and what they teach. */
  readonly examples = (projectId: string, host: string): Promise<api.SiteExampleList> =>
    this.#get(examplesPath(projectId, host));
  /** Lists the blocks of a snapshot with their marks. */
  readonly example = (projectId: string, host: string, domId: string): Promise<api.SiteOutline> =>
    this.#get(examplesPath(projectId, host, domId));
  /** Stores the marks of a snapshot in place of its earlier ones. */
  readonly putExample = (
    projectId: string,
    host: string,
    domId: string,
    body: api.SiteMarksRequest,
  ): Promise<api.SiteExampleResponse> => this.#put(examplesPath(projectId, host, domId), body);
  readonly deleteExample = (projectId: string, host: string, domId: string): Promise<api.SiteExampleList> =>
    this.#delete(examplesPath(projectId, host, domId));
  /** Activates what the examples of a host teach, for the project. */
  readonly teachSite = (projectId: string, host: string): Promise<api.TemplateResponse> =>
    this.#post(projectPath(projectId, 'sites', host, 'teach'));
  readonly templates = (
    query: {
      state?: api.TemplateState | undefined;
      domain?: string | undefined;
      project_id?: string | undefined;
      cursor?: string | undefined;
    } = {},
  ): Promise<api.TemplateList> => this.#get(TEMPLATES, query);
  readonly template = (name: string): Promise<api.TemplateResponse> => this.#get(templatePath(name));
  /** Stores a template as a candidate: with an id the next version of that template, without one a new template. */
  readonly importTemplate = (document: api.TemplateDocument): Promise<api.TemplateResponse> =>
    this.#post(TEMPLATES, document);
  readonly changeTemplate = (name: string, change: 'activate' | 'retire' | 'rollback'): Promise<api.TemplateResponse> =>
    this.#post(`${templatePath(name)}/${change}`);
  readonly testTemplate = (name: string, body: api.TemplateTestRequest): Promise<api.TemplateTestResponse> =>
    this.#post(`${templatePath(name)}/test`, body);
  /** Tries a template that is not stored. */
  readonly previewTemplate = (body: api.TemplatePreviewRequest): Promise<api.TemplateTestResponse> =>
    this.#post(`${TEMPLATES}/preview`, body);

  /* --------------------------------------------------------- members, audit */

  readonly members = (): Promise<api.MemberList> => this.#get('/admin/v1/members');
  readonly invite = (body: api.InviteRequest): Promise<api.OneTimeLinkResponse> =>
    this.#post('/admin/v1/invitations', body);
  readonly withdrawInvitation = (id: string): Promise<api.DeletedResponse> =>
    this.#delete(`/admin/v1/invitations/${encodeURIComponent(id)}`);
  readonly updateMember = (id: string, body: api.UpdateMemberRequest): Promise<api.MemberResponse> =>
    this.#patch(`/admin/v1/members/${encodeURIComponent(id)}`, body);
  readonly createResetLink = (id: string): Promise<api.OneTimeLinkResponse> =>
    this.#post(`/admin/v1/members/${encodeURIComponent(id)}/reset-link`);
  readonly audit = (query: { cursor?: string | undefined; limit?: number | undefined } = {}): Promise<api.AuditList> =>
    this.#get('/admin/v1/audit', query);

  async #begin(path: string, body: object): Promise<api.SessionResponse> {
    return this.#keep(await this.#post(path, body));
  }

  #get<T>(path: string, query?: object): Promise<T> {
    return this.send({ method: 'GET', path, query: { ...query } });
  }

  #post<T>(path: string, body?: object, options?: CallOptions): Promise<T> {
    return this.send({ method: 'POST', path, body }, options);
  }

  #put<T>(path: string, body: object): Promise<T> {
    return this.send({ method: 'PUT', path, body });
  }

  #patch<T>(path: string, body: object): Promise<T> {
    return this.send({ method: 'PATCH', path, body });
  }

  #delete<T>(path: string): Promise<T> {
    return this.send({ method: 'DELETE', path });
  }

  #keep(session: api.SessionResponse): api.SessionResponse {
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
