import { grantCode } from '../../domain/oauth/authorize-client.ts';
import { addAnswer, baseUrlOf } from '../oauth/oauth-routes.ts';
import {
  createKey,
  createProject,
  listVisibleProjects,
  revokeKey,
  updateProject,
} from '../../domain/accounts/projects.ts';
import { defineHandlers, projectDeps } from './admin-operations.ts';
import { presentKey, presentProject } from './present-admin.ts';
import type { AlertResponse } from '@winnow/contract';
import { removeAlert, requireAlert, saveAlert } from '../../domain/alerts/alerts.ts';
import type { Alert } from '../../domain/alerts/alert-ports.ts';
import { presentFields } from '../answers/present.ts';

export const projectHandlers = defineHandlers((deps) => {
  const parts = projectDeps(deps);
  const { alerts } = deps;
  return {
    listProjects: async ({ request, signedIn }) => {
      const projects = await listVisibleProjects(parts, signedIn().user);
      return { request_id: request.id, items: projects.map(presentProject) };
    },
    createProject: async ({ request, body, signedIn }) => {
      const project = await createProject(parts, signedIn().user, body.name);
      return { request_id: request.id, project: presentProject(project) };
    },
    updateProject: async ({ request, body, params, signedIn }) => {
      const project = await updateProject(parts, signedIn().user, params.project_id, body);
      return { request_id: request.id, project: presentProject(project) };
    },
    listKeys: async ({ request, findProject }) => {
      const project = await findProject();
      const keys = await deps.keys.list(project.id);
      return { request_id: request.id, items: keys.map(presentKey) };
    },
    createKey: async ({ request, body, params, signedIn }) => {
      const { key, secret } = await createKey(
        parts,
        signedIn().user,
        params.project_id,
        {
          name: body.name,
          kind: body.kind ?? 'project',
          expiresAt: body.expires_at ? new Date(body.expires_at) : null,
          quotaPerMinute: body.quota_per_minute ?? null,
        },
        deps.settings.quota.defaultPerMinute,
      );
      return { request_id: request.id, key: presentKey(key), secret };
    },
    authorizeClient: async ({ request, body, params, signedIn }) => {
      const { client_id: clientId, redirect_uri: redirectUri, code_challenge: challenge, state, approved } = body;
      const decision = { clientId, redirectUri, challenge };
      const oauth = { ...parts, settings: deps.oauth.settings };
      // Checks the client and its address also if the user does not let it in.
      const code = await grantCode(oauth, signedIn().user, params.project_id, decision);
      const answer = approved ? { code } : { error: 'access_denied' };
      const issuer = baseUrlOf(request, deps.oauth);
      return { request_id: request.id, redirect_to: addAnswer(redirectUri, issuer, { ...answer, state }) };
    },
    revokeKey: async ({ request, params, signedIn }) => {
      const key = await revokeKey(parts, signedIn().user, params.project_id, params.key_id);
      return { request_id: request.id, key: presentKey(key) };
    },
    readAlert: async ({ request, findProject }) => {
      const alert = await alerts.alerts.find((await findProject()).id);
      return { request_id: request.id, alert: alert ? presentAlert(alert) : null };
    },
    putAlert: async ({ request, body, signedIn, findProject }) => {
      const { user } = signedIn();
      const { url, secret, error_rate: errorRate, fill_rates: fillRates } = body;
      const change = { url, secret, errorRate: errorRate ?? null, fillRates: fillRates ?? false };
      const alert = await saveAlert(alerts, user, (await findProject()).id, change);
      return { request_id: request.id, alert: presentAlert(alert) };
    },
    deleteAlert: async ({ request, signedIn, findProject }) => {
      const { user } = signedIn();
      const { id: projectId } = await findProject();
      await removeAlert(alerts, user, projectId);
      return { request_id: request.id, deleted: projectId };
    },
    testAlert: async ({ request, findProject }) => {
      const alert = await requireAlert(alerts, (await findProject()).id);
      return { request_id: request.id, refused: await alerts.watcher.test(alert) };
    },
  };
});

function presentAlert(alert: Alert): AlertResponse['alert'] {
  const fields = presentFields(alert, ['url', 'errorRate', 'fillRates', 'changedAt', 'lastError']);
  return { ...fields, active: [...alert.active] };
}
