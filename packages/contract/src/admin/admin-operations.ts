/** The operations of the console, for signed-in sessions: one row each, as in `api/operations.ts`. */
import { z } from 'zod';
import * as accounts from './admin-accounts.ts';
import * as alerts from './admin-alerts.ts';
import * as batches from './admin-batches.ts';
import { serviceHealthSchema } from './admin-health.ts';
import { metricsQuerySchema, metricsResponseSchema } from './admin-metrics.ts';
import * as projects from './admin-projects.ts';
import * as requests from './admin-requests.ts';
import * as snapshots from './admin-snapshots.ts';
import { TEMPLATE_OPERATIONS } from './admin-templates.ts';
import { attachmentOperations } from '../api/attachments.ts';
import { batchLineSchema, batchResponseSchema } from '../api/batches.ts';
import { CREATE_BATCH, CREATE_CRAWL, DUMP, EXTRACT } from '../api/operations.ts';
import { deletedResponseSchema } from '../api/responses.ts';
import type { Operation } from '../shared/operation.ts';
import { del, get, patch, post, put } from '../shared/operation-rows.ts';

const TOKEN = 'WZ4kq1b0Xn2mYd7Jt5Rc8Vh3Lp6Sg9Fa';

const PROJECT = '/admin/v1/projects/:project_id';
const ALERT = `${PROJECT}/alert`;
const BATCH = `${PROJECT}/batches/:id`;
const SNAPSHOT = `${PROJECT}/snapshots/:dom_id`;

export const auditQuerySchema = z.strictObject({
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
});

export const ADMIN_OPERATIONS = {
  signIn: post('nobody', '/admin/v1/session', 'Sign in; sets the session cookie', {
    body: accounts.signInRequestSchema,
    example: { email: 'ada@example.com', password: 'a horse that staples' },
    response: accounts.sessionResponseSchema,
  }),
  readSession: get('member', '/admin/v1/session', 'Read the session and its account', {
    response: accounts.sessionResponseSchema,
  }),
  signOut: del('member', '/admin/v1/session', 'Sign out', { response: accounts.signedOutResponseSchema }),
  signOutEverywhere: del('member', '/admin/v1/sessions', 'End every session of the account', {
    response: accounts.signedOutResponseSchema,
  }),
  changePassword: post('member', '/admin/v1/session/password', 'Change your password; ends the other sessions', {
    body: accounts.changePasswordRequestSchema,
    example: { current_password: 'a horse that staples', new_password: 'a battery that runs' },
    response: accounts.sessionResponseSchema,
  }),
  lookUpLink: post('nobody', '/admin/v1/links/lookup', 'Read the purpose of a one-time link', {
    body: accounts.lookUpLinkRequestSchema,
    example: { token: TOKEN },
    response: accounts.linkResponseSchema,
  }),
  acceptLink: post(
    'nobody',
    '/admin/v1/links/accept',
    'Use a one-time link: create the account or set its password, and sign in',
    {
      body: accounts.acceptLinkRequestSchema,
      example: { token: TOKEN, email: 'ada@example.com', password: 'a horse that staples' },
      response: accounts.sessionResponseSchema,
    },
  ),
  readSetup: get('nobody', '/admin/v1/setup', 'Whether the first administrator is still to be created', {
    response: accounts.setupResponseSchema,
  }),
  readHealth: get(
    'admin',
    '/admin/v1/health',
    'Checks, queues, browsers, processes, memory and disk of the node that answers',
    { response: serviceHealthSchema },
  ),
  readService: get('member', '/admin/v1/service', 'Region, base addresses and engines of this service', {
    response: projects.serviceResponseSchema,
  }),
  readMetrics: get(
    'member',
    '/admin/v1/metrics',
    'Requests, errors, latencies, engines, pages of batches, doubts and storage over time',
    { query: metricsQuerySchema, response: metricsResponseSchema },
  ),
  listProjects: get('member', '/admin/v1/projects', 'The projects visible to the session', {
    response: projects.projectListSchema,
  }),
  createProject: post('admin', '/admin/v1/projects', 'Create a project', {
    body: projects.createProjectRequestSchema,
    example: { name: 'News' },
    response: projects.projectResponseSchema,
    errors: ['conflict'],
  }),
  updateProject: patch(
    'admin',
    PROJECT,
    'Rename, archive or bring back a project, or let it learn from its pages or not',
    {
      body: projects.updateProjectRequestSchema,
      example: { name: 'Old news', archived: true },
      response: projects.projectResponseSchema,
      errors: ['conflict'],
    },
  ),
  readAlert: get('member', ALERT, 'What a project wants to be told of, and where', {
    response: alerts.alertResponseSchema,
  }),
  putAlert: put(
    'member',
    ALERT,
    'Have a webhook called when too many requests fail, or when a template no longer fits its site',
    {
      body: alerts.alertRequestSchema,
      example: {
        url: 'https://example.org/hooks/winnow',
        secret: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3',
        error_rate: 0.2,
        fill_rates: true,
      },
      response: alerts.alertResponseSchema,
      errors: ['url_not_allowed'],
    },
  ),
  deleteAlert: del('member', ALERT, 'End the alerts of a project', { response: deletedResponseSchema }),
  testAlert: post('member', `${ALERT}/test`, 'Call the webhook of the alerts now', {
    response: alerts.alertTestResponseSchema,
    errors: ['conflict'],
  }),
  listKeys: get('member', `${PROJECT}/keys`, 'The keys of a project', { response: projects.keyListSchema }),
  createKey: post('member', `${PROJECT}/keys`, 'Create a key; standalone keys for administrators only', {
    body: projects.createKeyRequestSchema,
    example: { name: 'Crawler', quota_per_minute: 600 },
    response: projects.createKeyResponseSchema,
  }),
  revokeKey: del('member', `${PROJECT}/keys/:key_id`, 'Revoke a key; it is refused from the next request on', {
    response: projects.keyResponseSchema,
  }),
  authorizeClient: post(
    'member',
    `${PROJECT}/authorizations`,
    'Decide whether an OAuth client, such as an assistant, gets a key of the project for /mcp',
    {
      body: projects.authorizeClientRequestSchema,
      example: {
        client_id: 'mcp_example',
        redirect_uri: 'http://127.0.0.1/callback',
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        approved: true,
      },
      response: projects.authorizeClientResponseSchema,
    },
  ),
  listRequests: get('member', `${PROJECT}/requests`, 'The recorded requests of a project, the newest first', {
    query: requests.loggedRequestQuerySchema,
    response: requests.loggedRequestListSchema,
  }),
  readRequest: get(
    'member',
    `${PROJECT}/requests/:id`,
    'A recorded request by the id of its log entry, or the newest with that request id',
    { response: requests.loggedRequestResponseSchema },
  ),
  listBatches: get('member', `${PROJECT}/batches`, 'The batches of a project, the newest first', {
    query: batches.batchQuerySchema,
    response: batches.batchListSchema,
  }),
  readBatch: get('member', BATCH, 'The progress of a batch', { response: batchResponseSchema }),
  listBatchItems: get('member', `${BATCH}/items`, 'The finished items of a batch without the content of their pages', {
    query: batches.batchItemQuerySchema,
    response: batches.batchItemListSchema,
  }),
  readBatchItem: get('member', `${BATCH}/items/:index`, 'The result or the error of a finished item of a batch', {
    response: batches.batchItemResponseSchema,
  }),
  createBatch: post('member', `${PROJECT}/batches`, 'Create a batch for a project, with a session in place of a key', {
    ...CREATE_BATCH,
  }),
  createCrawl: post('member', `${PROJECT}/crawls`, 'Crawl a site for a project, with a session in place of a key', {
    ...CREATE_CRAWL,
  }),
  retryBatch: post(
    'member',
    `${BATCH}/retry`,
    'Create a batch of the items of an ended batch that failed, with its options and its webhook',
    { response: batchResponseSchema, errors: ['conflict', 'storage_quota_exceeded'] },
  ),
  cancelBatch: post('member', `${BATCH}/cancel`, 'Cancel a batch: waiting items never start', {
    response: batchResponseSchema,
  }),
  deleteBatch: del('member', BATCH, 'Delete a batch with its items and results', { response: deletedResponseSchema }),
  listSnapshots: get('member', `${PROJECT}/snapshots`, 'The snapshots of a project, the newest first', {
    query: snapshots.snapshotQuerySchema,
    response: snapshots.snapshotListSchema,
  }),
  readSnapshot: get('member', SNAPSHOT, 'A snapshot without its HTML', { response: snapshots.snapshotResponseSchema }),
  readSnapshotHtml: get('member', `${SNAPSHOT}/html`, 'The stored HTML of a snapshot', {
    response: snapshots.snapshotHtmlResponseSchema,
  }),
  deleteSnapshot: del('member', SNAPSHOT, 'Delete a snapshot', { response: deletedResponseSchema }),
  listMembers: get('admin', '/admin/v1/members', 'All accounts and open invitations', {
    response: accounts.memberListSchema,
  }),
  invite: post('admin', '/admin/v1/invitations', 'Invite somebody; answers with a one-time link', {
    body: accounts.inviteRequestSchema,
    example: { email: 'bob@example.com', role: 'member' },
    response: accounts.oneTimeLinkResponseSchema,
  }),
  withdrawInvitation: del(
    'admin',
    '/admin/v1/invitations/:link_id',
    'Withdraw an invitation or another one-time link',
    { response: deletedResponseSchema },
  ),
  updateMember: patch('admin', '/admin/v1/members/:user_id', 'Change role, projects or state of a member', {
    body: accounts.updateMemberRequestSchema,
    example: { role: 'member', disabled: false },
    response: accounts.memberResponseSchema,
  }),
  createResetLink: post(
    'admin',
    '/admin/v1/members/:user_id/reset-link',
    'A one-time link with which a member chooses a new password',
    { response: accounts.oneTimeLinkResponseSchema },
  ),
  listAudit: get('admin', '/admin/v1/audit', 'The audit log of console and command line, the newest first', {
    query: auditQuerySchema,
    response: accounts.auditListSchema,
  }),
  extract: post('member', `${PROJECT}/extract`, 'Extract for a project, with a session in place of a key', {
    ...EXTRACT,
  }),
  dump: post('member', `${PROJECT}/dump`, 'Capture for a project, with a session in place of a key', { ...DUMP }),
  drawSnapshot: get(
    'member',
    `${SNAPSHOT}/page`,
    'The stored page for the preview: without active content and resources',
    { media: { 'text/html': z.string() } },
  ),
  ...attachmentOperations('member', SNAPSHOT, []),
  downloadBatchResults: get('member', `${BATCH}/results.ndjson`, 'All results of a batch, one line each, as in /v1', {
    responseLine: batchLineSchema,
  }),
  ...TEMPLATE_OPERATIONS,
} as const satisfies Readonly<Record<string, Operation>>;
