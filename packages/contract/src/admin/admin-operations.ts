/**
 * The admin API as data: one row an endpoint, with its schemas. The routes are added from these rows and
 * the OpenAPI document is written from them, so that the two cannot differ.
 */
import { z } from 'zod';
import {
  acceptLinkRequestSchema,
  auditListSchema,
  changePasswordRequestSchema,
  inviteRequestSchema,
  linkResponseSchema,
  lookUpLinkRequestSchema,
  memberListSchema,
  memberResponseSchema,
  oneTimeLinkResponseSchema,
  sessionResponseSchema,
  signInRequestSchema,
  signedOutResponseSchema,
  updateMemberRequestSchema,
} from './admin-accounts.ts';
import { batchItemListSchema, batchItemQuerySchema, batchListSchema, batchQuerySchema } from './admin-batches.ts';
import { metricsQuerySchema, metricsResponseSchema } from './admin-metrics.ts';
import {
  createKeyRequestSchema,
  createKeyResponseSchema,
  createProjectRequestSchema,
  keyListSchema,
  keyResponseSchema,
  projectListSchema,
  projectResponseSchema,
  serviceResponseSchema,
  updateProjectRequestSchema,
} from './admin-projects.ts';
import { loggedRequestListSchema, loggedRequestQuerySchema, loggedRequestResponseSchema } from './admin-requests.ts';
import {
  deletedResponseSchema,
  snapshotHtmlResponseSchema,
  snapshotListSchema,
  snapshotQuerySchema,
  snapshotResponseSchema,
} from './admin-snapshots.ts';
import { batchResponseSchema } from '../api/batches.ts';

export interface AdminOperation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** In Fastify's syntax: `:name` for a parameter. */
  readonly path: string;
  readonly summary: string;
  /** `nobody`: no session needed; `member`: any session; `admin`: an administrator's. */
  readonly access: 'nobody' | 'member' | 'admin';
  readonly body?: z.ZodType;
  readonly query?: z.ZodType;
  readonly response: z.ZodType;
}

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
    body: signInRequestSchema,
    response: sessionResponseSchema,
  },
  readSession: {
    method: 'GET',
    path: '/admin/v1/session',
    summary: 'Read the session and its account',
    access: 'member',
    response: sessionResponseSchema,
  },
  signOut: {
    method: 'DELETE',
    path: '/admin/v1/session',
    summary: 'Sign out',
    access: 'member',
    response: signedOutResponseSchema,
  },
  signOutEverywhere: {
    method: 'DELETE',
    path: '/admin/v1/sessions',
    summary: 'End every session of the account',
    access: 'member',
    response: signedOutResponseSchema,
  },
  changePassword: {
    method: 'POST',
    path: '/admin/v1/session/password',
    summary: 'Change your password; ends the other sessions',
    access: 'member',
    body: changePasswordRequestSchema,
    response: sessionResponseSchema,
  },
  lookUpLink: {
    method: 'POST',
    path: '/admin/v1/links/lookup',
    summary: 'Read the purpose of a one-time link',
    access: 'nobody',
    body: lookUpLinkRequestSchema,
    response: linkResponseSchema,
  },
  acceptLink: {
    method: 'POST',
    path: '/admin/v1/links/accept',
    summary: 'Use a one-time link: create the account or set its password, and sign in',
    access: 'nobody',
    body: acceptLinkRequestSchema,
    response: sessionResponseSchema,
  },
  readService: {
    method: 'GET',
    path: '/admin/v1/service',
    summary: 'Region, base addresses and engines of this service',
    access: 'member',
    response: serviceResponseSchema,
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
    response: projectListSchema,
  },
  createProject: {
    method: 'POST',
    path: '/admin/v1/projects',
    summary: 'Create a project',
    access: 'admin',
    body: createProjectRequestSchema,
    response: projectResponseSchema,
  },
  updateProject: {
    method: 'PATCH',
    path: PROJECT,
    summary: 'Rename, archive or bring back a project',
    access: 'admin',
    body: updateProjectRequestSchema,
    response: projectResponseSchema,
  },
  listKeys: {
    method: 'GET',
    path: `${PROJECT}/keys`,
    summary: 'The keys of a project',
    access: 'member',
    response: keyListSchema,
  },
  createKey: {
    method: 'POST',
    path: `${PROJECT}/keys`,
    summary: 'Create a key; key_only for administrators only',
    access: 'member',
    body: createKeyRequestSchema,
    response: createKeyResponseSchema,
  },
  revokeKey: {
    method: 'DELETE',
    path: `${PROJECT}/keys/:key_id`,
    summary: 'Revoke a key; it is refused from the next request on',
    access: 'member',
    response: keyResponseSchema,
  },
  listRequests: {
    method: 'GET',
    path: `${PROJECT}/requests`,
    summary: 'The recorded requests of a project, the newest first',
    access: 'member',
    query: loggedRequestQuerySchema,
    response: loggedRequestListSchema,
  },
  readRequest: {
    method: 'GET',
    path: `${PROJECT}/requests/:id`,
    summary: 'A recorded request by the id of its log entry, or the newest with that request id',
    access: 'member',
    response: loggedRequestResponseSchema,
  },
  listBatches: {
    method: 'GET',
    path: `${PROJECT}/batches`,
    summary: 'The batches of a project, the newest first',
    access: 'member',
    query: batchQuerySchema,
    response: batchListSchema,
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
    query: batchItemQuerySchema,
    response: batchItemListSchema,
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
    query: snapshotQuerySchema,
    response: snapshotListSchema,
  },
  readSnapshot: {
    method: 'GET',
    path: SNAPSHOT,
    summary: 'A snapshot without its HTML',
    access: 'member',
    response: snapshotResponseSchema,
  },
  readSnapshotHtml: {
    method: 'GET',
    path: `${SNAPSHOT}/html`,
    summary: 'The stored HTML of a snapshot',
    access: 'member',
    response: snapshotHtmlResponseSchema,
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
    response: memberListSchema,
  },
  invite: {
    method: 'POST',
    path: '/admin/v1/invitations',
    summary: 'Invite somebody; answers with a one-time link',
    access: 'admin',
    body: inviteRequestSchema,
    response: oneTimeLinkResponseSchema,
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
    body: updateMemberRequestSchema,
    response: memberResponseSchema,
  },
  createResetLink: {
    method: 'POST',
    path: '/admin/v1/members/:user_id/reset-link',
    summary: 'A one-time link with which a member chooses a new password',
    access: 'admin',
    response: oneTimeLinkResponseSchema,
  },
  listAudit: {
    method: 'GET',
    path: '/admin/v1/audit',
    summary: 'The audit log of console and command line, the newest first',
    access: 'admin',
    query: auditQuerySchema,
    response: auditListSchema,
  },
} as const satisfies Record<string, AdminOperation>;

/** Endpoints that stream their answer; for members. */
export const ADMIN_STREAMS = { batchResults: `${BATCH}/results.ndjson` } as const;
