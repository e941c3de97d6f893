import type * as api from './contract-types.ts';
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

  async signIn(body: api.SignInRequest): Promise<api.SessionResponse> {
    return this.#keep(await this.send<api.SessionResponse>({ method: 'POST', path: SESSION, body }));
  }

  async signOut(): Promise<api.SignedOutResponse> {
    return this.send({ method: 'DELETE', path: SESSION });
  }

  /** Ends every session of the account, this one included. */
  async signOutEverywhere(): Promise<api.SignedOutResponse> {
    return this.send({ method: 'DELETE', path: '/admin/v1/sessions' });
  }

  async changePassword(body: api.ChangePasswordRequest): Promise<api.SessionResponse> {
    return this.#keep(await this.send({ method: 'POST', path: `${SESSION}/password`, body }));
  }

  async setup(): Promise<api.SetupResponse> {
    return this.send({ method: 'GET', path: '/admin/v1/setup' });
  }

  async lookUpLink(token: string): Promise<api.LinkResponse> {
    return this.send({ method: 'POST', path: '/admin/v1/links/lookup', body: { token } });
  }

  async acceptLink(body: api.AcceptLinkRequest): Promise<api.SessionResponse> {
    return this.#keep(await this.send({ method: 'POST', path: '/admin/v1/links/accept', body }));
  }

  /* ------------------------------------------------- service, projects, keys */

  async service(): Promise<api.ServiceResponse> {
    return this.send({ method: 'GET', path: '/admin/v1/service' });
  }

  /** For administrators. */
  async health(): Promise<api.ServiceHealth> {
    return this.send({ method: 'GET', path: '/admin/v1/health' });
  }

  async metrics(query: api.MetricsQuery): Promise<api.MetricsResponse> {
    return this.send({ method: 'GET', path: '/admin/v1/metrics', query: { ...query } });
  }

  async projects(): Promise<api.ProjectList> {
    return this.send({ method: 'GET', path: '/admin/v1/projects' });
  }

  async createProject(name: string): Promise<api.ProjectResponse> {
    return this.send({ method: 'POST', path: '/admin/v1/projects', body: { name } });
  }

  async updateProject(projectId: string, body: api.UpdateProjectRequest): Promise<api.ProjectResponse> {
    return this.send({ method: 'PATCH', path: projectPath(projectId), body });
  }

  async alert(projectId: string): Promise<api.AlertResponse> {
    return this.send({ method: 'GET', path: projectPath(projectId, 'alert') });
  }

  async putAlert(projectId: string, body: api.AlertRequest): Promise<api.AlertResponse> {
    return this.send({ method: 'PUT', path: projectPath(projectId, 'alert'), body });
  }

  async deleteAlert(projectId: string): Promise<api.DeletedResponse> {
    return this.send({ method: 'DELETE', path: projectPath(projectId, 'alert') });
  }

  /** Calls the webhook of the alerts now. */
  async testAlert(projectId: string): Promise<api.AlertTestResponse> {
    return this.send({ method: 'POST', path: projectPath(projectId, 'alert', 'test') });
  }

  async keys(projectId: string): Promise<api.KeyList> {
    return this.send({ method: 'GET', path: projectPath(projectId, 'keys') });
  }

  async createKey(projectId: string, body: api.CreateKeyRequest): Promise<api.CreateKeyResponse> {
    return this.send({ method: 'POST', path: projectPath(projectId, 'keys'), body });
  }

  async authorizeClient(projectId: string, body: api.AuthorizeClientRequest): Promise<api.AuthorizeClientResponse> {
    return this.send({ method: 'POST', path: projectPath(projectId, 'authorizations'), body });
  }

  async revokeKey(projectId: string, keyId: string): Promise<api.KeyResponse> {
    return this.send({ method: 'DELETE', path: projectPath(projectId, 'keys', keyId) });
  }

  /* ------------------------------------------------------ pages, snapshots */

  /** `POST /v1/extract` for a project, without a key. */
  async extract(projectId: string, body: api.ExtractRequest, options?: CallOptions): Promise<api.ExtractResponse> {
    return this.send({ method: 'POST', path: projectPath(projectId, 'extract'), body }, options);
  }

  /** `POST /v1/dom/dump` for a project, without a key. */
  async dump(projectId: string, body: api.DumpRequest, options?: CallOptions): Promise<api.DumpResponse> {
    return this.send({ method: 'POST', path: projectPath(projectId, 'dump'), body }, options);
  }

  async requests(projectId: string, query: api.LoggedRequestQuery = {}): Promise<api.LoggedRequestList> {
    return this.send({ method: 'GET', path: projectPath(projectId, 'requests'), query: { ...query } });
  }

  /** @param id of the log entry, or a request id */
  async request(projectId: string, id: string): Promise<api.LoggedRequestResponse> {
    return this.send({ method: 'GET', path: projectPath(projectId, 'requests', id) });
  }

  async batches(projectId: string, query: api.BatchQuery = {}): Promise<api.BatchList> {
    return this.send({ method: 'GET', path: projectPath(projectId, 'batches'), query: { ...query } });
  }

  async batch(projectId: string, id: string): Promise<api.BatchResponse> {
    return this.send({ method: 'GET', path: projectPath(projectId, 'batches', id) });
  }

  /** Finished items of a batch without the content of their pages. */
  async batchItems(projectId: string, id: string, query: api.BatchItemQuery = {}): Promise<api.BatchItemList> {
    return this.send({ method: 'GET', path: projectPath(projectId, 'batches', id, 'items'), query: { ...query } });
  }

  /** A finished item with its result or error. */
  async batchItem(projectId: string, id: string, index: number): Promise<api.BatchItemResponse> {
    return this.send({ method: 'GET', path: projectPath(projectId, 'batches', id, 'items', String(index)) });
  }

  /** `POST /v1/batches` for a project, without a key. */
  async createBatch(projectId: string, body: api.BatchRequest): Promise<api.BatchResponse> {
    return this.send({ method: 'POST', path: projectPath(projectId, 'batches'), body });
  }

  /** `POST /v1/crawls` for a project, without a key. */
  async createCrawl(projectId: string, body: api.CrawlRequest): Promise<api.BatchResponse> {
    return this.send({ method: 'POST', path: projectPath(projectId, 'crawls'), body });
  }

  /** Creates a batch of the failed items of an ended one. */
  async retryBatch(projectId: string, id: string): Promise<api.BatchResponse> {
    return this.send({ method: 'POST', path: projectPath(projectId, 'batches', id, 'retry') });
  }

  async cancelBatch(projectId: string, id: string): Promise<api.BatchResponse> {
    return this.send({ method: 'POST', path: projectPath(projectId, 'batches', id, 'cancel') });
  }

  async deleteBatch(projectId: string, id: string): Promise<api.DeletedResponse> {
    return this.send({ method: 'DELETE', path: projectPath(projectId, 'batches', id) });
  }

  /** Address of all results as JSON Lines, for a link: the browser sends its cookie along. */
  batchResultsUrl(projectId: string, id: string): string {
    return `${this.#transport.baseUrl}${projectPath(projectId, 'batches', id, 'results.ndjson')}`;
  }

  async snapshots(projectId: string, query: api.SnapshotQuery = {}): Promise<api.SnapshotList> {
    return this.send({ method: 'GET', path: projectPath(projectId, 'snapshots'), query: { ...query } });
  }

  async snapshot(projectId: string, domId: string): Promise<api.SnapshotResponse> {
    return this.send({ method: 'GET', path: projectPath(projectId, 'snapshots', domId) });
  }

  async snapshotHtml(projectId: string, domId: string): Promise<api.SnapshotHtmlResponse> {
    return this.send({ method: 'GET', path: projectPath(projectId, 'snapshots', domId, 'html') });
  }

  async deleteSnapshot(projectId: string, domId: string): Promise<api.DeletedResponse> {
    return this.send({ method: 'DELETE', path: projectPath(projectId, 'snapshots', domId) });
  }

  /* --------------------------------------------------------------- templates */

  /** Lists the sites of a project whose pages help to extract others, the newest first. */
  async sites(projectId: string, query: { domain?: string | undefined } = {}): Promise<api.SiteList> {
    return this.send({ method: 'GET', path: projectPath(projectId, 'sites'), query });
  }

  /** Lists the marked snapshots of a host, and what they teach. */
  async examples(projectId: string, host: string): Promise<api.SiteExampleList> {
    return this.send({ method: 'GET', path: examplesPath(projectId, host) });
  }

  /** Lists the blocks of a snapshot with their marks. */
  async example(projectId: string, host: string, domId: string): Promise<api.SiteOutline> {
    return this.send({ method: 'GET', path: examplesPath(projectId, host, domId) });
  }

  /** Stores the marks of a snapshot in place of its earlier ones. */
  async putExample(
    projectId: string,
    host: string,
    domId: string,
    body: api.SiteMarksRequest,
  ): Promise<api.SiteExampleResponse> {
    return this.send({ method: 'PUT', path: examplesPath(projectId, host, domId), body });
  }

  async deleteExample(projectId: string, host: string, domId: string): Promise<api.SiteExampleList> {
    return this.send({ method: 'DELETE', path: examplesPath(projectId, host, domId) });
  }

  /** Activates what the examples of a host teach, for the project. */
  async teachSite(projectId: string, host: string): Promise<api.TemplateResponse> {
    return this.send({ method: 'POST', path: projectPath(projectId, 'sites', host, 'teach') });
  }

  async templates(
    query: {
      state?: api.TemplateState | undefined;
      domain?: string | undefined;
      project_id?: string | undefined;
      cursor?: string | undefined;
    } = {},
  ): Promise<api.TemplateList> {
    return this.send({ method: 'GET', path: TEMPLATES, query });
  }

  async template(name: string): Promise<api.TemplateResponse> {
    return this.send({ method: 'GET', path: templatePath(name) });
  }

  /** Stores a template as a candidate: with an id the next version of that template, without one a new template. */
  async importTemplate(document: api.TemplateDocument): Promise<api.TemplateResponse> {
    return this.send({ method: 'POST', path: TEMPLATES, body: document });
  }

  async changeTemplate(name: string, change: 'activate' | 'retire' | 'rollback'): Promise<api.TemplateResponse> {
    return this.send({ method: 'POST', path: `${templatePath(name)}/${change}` });
  }

  async testTemplate(name: string, body: api.TemplateTestRequest): Promise<api.TemplateTestResponse> {
    return this.send({ method: 'POST', path: `${templatePath(name)}/test`, body });
  }

  /** Tries a template that is not stored. */
  async previewTemplate(body: api.TemplatePreviewRequest): Promise<api.TemplateTestResponse> {
    return this.send({ method: 'POST', path: `${TEMPLATES}/preview`, body });
  }

  /* --------------------------------------------------------- members, audit */

  async members(): Promise<api.MemberList> {
    return this.send({ method: 'GET', path: '/admin/v1/members' });
  }

  async invite(body: api.InviteRequest): Promise<api.OneTimeLinkResponse> {
    return this.send({ method: 'POST', path: '/admin/v1/invitations', body });
  }

  async withdrawInvitation(id: string): Promise<api.DeletedResponse> {
    return this.send({ method: 'DELETE', path: `/admin/v1/invitations/${encodeURIComponent(id)}` });
  }

  async updateMember(id: string, body: api.UpdateMemberRequest): Promise<api.MemberResponse> {
    return this.send({ method: 'PATCH', path: `/admin/v1/members/${encodeURIComponent(id)}`, body });
  }

  async createResetLink(id: string): Promise<api.OneTimeLinkResponse> {
    return this.send({ method: 'POST', path: `/admin/v1/members/${encodeURIComponent(id)}/reset-link` });
  }

  async audit(query: { cursor?: string | undefined; limit?: number | undefined } = {}): Promise<api.AuditList> {
    return this.send({ method: 'GET', path: '/admin/v1/audit', query });
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
