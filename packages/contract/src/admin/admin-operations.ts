/** The operations of the console, for signed-in sessions: one row each, as in `api/operations.ts`. */
import { z } from 'zod';
import * as accounts from './admin-accounts.ts';
import * as batches from './admin-batches.ts';
import { metricsQuerySchema, metricsResponseSchema } from './admin-metrics.ts';
import * as projects from './admin-projects.ts';
import * as requests from './admin-requests.ts';
import * as snapshots from './admin-snapshots.ts';
import { TEMPLATE_OPERATIONS } from './admin-templates.ts';
import { attachmentOperations } from '../api/attachments.ts';
import { batchLineSchema, batchResponseSchema } from '../api/batches.ts';
import { DUMP, EXTRACT } from '../api/operations.ts';
import { deletedResponseSchema } from '../api/responses.ts';
import type { Operation } from '../shared/operation.ts';

const TOKEN = 'WZ4kq1b0Xn2mYd7Jt5Rc8Vh3Lp6Sg9Fa';

const PROJECT = '/admin/v1/projects/:project_id';
const BATCH = `${PROJECT}/batches/:id`;
const SNAPSHOT = `${PROJECT}/snapshots/:dom_id`;

export const auditQuerySchema = z.strictObject({
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
});

export const ADMIN_OPERATIONS = {
  signIn: {
    method: 'POST',
    path: '/admin/v1/session',
    summary: 'Sign in; sets the session cookie',
    access: 'nobody',
    body: accounts.signInRequestSchema,
    example: { email: 'ada@example.com', password: 'a horse that staples' },
    response: accounts.sessionResponseSchema,
  },
  readSession: {
    method: 'GET',
    path: '/admin/v1/session',
    summary: 'Read the session and its account',
    access: 'member',
    response: accounts.sessionResponseSchema,
  },
  signOut: {
    method: 'DELETE',
    path: '/admin/v1/session',
    summary: 'Sign out',
    access: 'member',
    response: accounts.signedOutResponseSchema,
  },
  signOutEverywhere: {
    method: 'DELETE',
    path: '/admin/v1/sessions',
    summary: 'End every session of the account',
    access: 'member',
    response: accounts.signedOutResponseSchema,
  },
  changePassword: {
    method: 'POST',
    path: '/admin/v1/session/password',
    summary: 'Change your password; ends the other sessions',
    access: 'member',
    body: accounts.changePasswordRequestSchema,
    example: { current_password: 'a horse that staples', new_password: 'a battery that runs' },
    response: accounts.sessionResponseSchema,
  },
  lookUpLink: {
    method: 'POST',
    path: '/admin/v1/links/lookup',
    summary: 'Read the purpose of a one-time link',
    access: 'nobody',
    body: accounts.lookUpLinkRequestSchema,
    example: { token: TOKEN },
    response: accounts.linkResponseSchema,
  },
  acceptLink: {
    method: 'POST',
    path: '/admin/v1/links/accept',
    summary: 'Use a one-time link: create the account or set its password, and sign in',
    access: 'nobody',
    body: accounts.acceptLinkRequestSchema,
    example: { token: TOKEN, email: 'ada@example.com', password: 'a horse that staples' },
    response: accounts.sessionResponseSchema,
  },
  readService: {
    method: 'GET',
    path: '/admin/v1/service',
    summary: 'Region, base addresses and engines of this service',
    access: 'member',
    response: projects.serviceResponseSchema,
  },
  readMetrics: {
    method: 'GET',
    path: '/admin/v1/metrics',
    summary: 'Requests, errors, latencies, engines and storage over time',
    access: 'member',
    query: metricsQuerySchema,
    response: metricsResponseSchema,
  },
  listProjects: {
    method: 'GET',
    path: '/admin/v1/projects',
    summary: 'The projects visible to the session',
    access: 'member',
    response: projects.projectListSchema,
  },
  createProject: {
    method: 'POST',
    path: '/admin/v1/projects',
    summary: 'Create a project',
    access: 'admin',
    body: projects.createProjectRequestSchema,
    example: { name: 'News' },
    response: projects.projectResponseSchema,
  },
  updateProject: {
    method: 'PATCH',
    path: PROJECT,
    summary: 'Rename, archive or bring back a project, or let it learn from its pages or not',
    access: 'admin',
    body: projects.updateProjectRequestSchema,
    example: { name: 'Old news', archived: true },
    response: projects.projectResponseSchema,
  },
  listKeys: {
    method: 'GET',
    path: `${PROJECT}/keys`,
    summary: 'The keys of a project',
    access: 'member',
    response: projects.keyListSchema,
  },
  createKey: {
    method: 'POST',
    path: `${PROJECT}/keys`,
    summary: 'Create a key; standalone keys for administrators only',
    access: 'member',
    body: projects.createKeyRequestSchema,
    example: { name: 'Crawler', quota_per_minute: 600 },
    response: projects.createKeyResponseSchema,
  },
  revokeKey: {
    method: 'DELETE',
    path: `${PROJECT}/keys/:key_id`,
    summary: 'Revoke a key; it is refused from the next request on',
    access: 'member',
    response: projects.keyResponseSchema,
  },
  authorizeClient: {
    method: 'POST',
    path: `${PROJECT}/authorizations`,
    summary: 'Decide whether an OAuth client, such as an assistant, gets a key of the project for /mcp',
    access: 'member',
    body: projects.authorizeClientRequestSchema,
    example: {
      client_id: 'mcp_example',
      redirect_uri: 'http://127.0.0.1/callback',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      approved: true,
    },
    response: projects.authorizeClientResponseSchema,
  },
  listRequests: {
    method: 'GET',
    path: `${PROJECT}/requests`,
    summary: 'The recorded requests of a project, the newest first',
    access: 'member',
    query: requests.loggedRequestQuerySchema,
    response: requests.loggedRequestListSchema,
  },
  readRequest: {
    method: 'GET',
    path: `${PROJECT}/requests/:id`,
    summary: 'A recorded request by the id of its log entry, or the newest with that request id',
    access: 'member',
    response: requests.loggedRequestResponseSchema,
  },
  listBatches: {
    method: 'GET',
    path: `${PROJECT}/batches`,
    summary: 'The batches of a project, the newest first',
    access: 'member',
    query: batches.batchQuerySchema,
    response: batches.batchListSchema,
  },
  readBatch: {
    method: 'GET',
    path: BATCH,
    summary: 'The progress of a batch',
    access: 'member',
    response: batchResponseSchema,
  },
  listBatchItems: {
    method: 'GET',
    path: `${BATCH}/items`,
    summary: 'The finished items of a batch without the content of their pages',
    access: 'member',
    query: batches.batchItemQuerySchema,
    response: batches.batchItemListSchema,
  },
  cancelBatch: {
    method: 'POST',
    path: `${BATCH}/cancel`,
    summary: 'Cancel a batch: waiting items never start',
    access: 'member',
    response: batchResponseSchema,
  },
  deleteBatch: {
    method: 'DELETE',
    path: BATCH,
    summary: 'Delete a batch with its items and results',
    access: 'member',
    response: deletedResponseSchema,
  },
  listSnapshots: {
    method: 'GET',
    path: `${PROJECT}/snapshots`,
    summary: 'The snapshots of a project, the newest first',
    access: 'member',
    query: snapshots.snapshotQuerySchema,
    response: snapshots.snapshotListSchema,
  },
  readSnapshot: {
    method: 'GET',
    path: SNAPSHOT,
    summary: 'A snapshot without its HTML',
    access: 'member',
    response: snapshots.snapshotResponseSchema,
  },
  readSnapshotHtml: {
    method: 'GET',
    path: `${SNAPSHOT}/html`,
    summary: 'The stored HTML of a snapshot',
    access: 'member',
    response: snapshots.snapshotHtmlResponseSchema,
  },
  deleteSnapshot: {
    method: 'DELETE',
    path: SNAPSHOT,
    summary: 'Delete a snapshot',
    access: 'member',
    response: deletedResponseSchema,
  },
  listMembers: {
    method: 'GET',
    path: '/admin/v1/members',
    summary: 'All accounts and open invitations',
    access: 'admin',
    response: accounts.memberListSchema,
  },
  invite: {
    method: 'POST',
    path: '/admin/v1/invitations',
    summary: 'Invite somebody; answers with a one-time link',
    access: 'admin',
    body: accounts.inviteRequestSchema,
    example: { email: 'bob@example.com', role: 'member' },
    response: accounts.oneTimeLinkResponseSchema,
  },
  withdrawInvitation: {
    method: 'DELETE',
    path: '/admin/v1/invitations/:link_id',
    summary: 'Withdraw an invitation or another one-time link',
    access: 'admin',
    response: deletedResponseSchema,
  },
  updateMember: {
    method: 'PATCH',
    path: '/admin/v1/members/:user_id',
    summary: 'Change role, projects or state of a member',
    access: 'admin',
    body: accounts.updateMemberRequestSchema,
    example: { role: 'member', disabled: false },
    response: accounts.memberResponseSchema,
  },
  createResetLink: {
    method: 'POST',
    path: '/admin/v1/members/:user_id/reset-link',
    summary: 'A one-time link with which a member chooses a new password',
    access: 'admin',
    response: accounts.oneTimeLinkResponseSchema,
  },
  listAudit: {
    method: 'GET',
    path: '/admin/v1/audit',
    summary: 'The audit log of console and command line, the newest first',
    access: 'admin',
    query: auditQuerySchema,
    response: accounts.auditListSchema,
  },
  extract: {
    method: 'POST',
    path: `${PROJECT}/extract`,
    summary: 'Extract for a project, with a session in place of a key',
    access: 'member',
    ...EXTRACT,
  },
  dump: {
    method: 'POST',
    path: `${PROJECT}/dump`,
    summary: 'Capture for a project, with a session in place of a key',
    access: 'member',
    ...DUMP,
  },
  drawSnapshot: {
    method: 'GET',
    path: `${SNAPSHOT}/page`,
    summary: 'The stored page for the preview: without active content and resources',
    access: 'member',
    media: { 'text/html': z.string() },
  },
  ...attachmentOperations(SNAPSHOT, { access: 'member' }),
  downloadBatchResults: {
    method: 'GET',
    path: `${BATCH}/results.ndjson`,
    summary: 'All results of a batch, one line each, as in /v1',
    access: 'member',
    responseLine: batchLineSchema,
  },
  ...TEMPLATE_OPERATIONS,
} as const satisfies Readonly<Record<string, Operation>>;
