import type { AlertResponse } from '@winnow/contract';
import { removeAlert, requireAlert, saveAlert } from '../../domain/alerts/alerts.ts';
import type { Alert } from '../../domain/alerts/alert-ports.ts';
import { requireProject } from '../../domain/accounts/projects.ts';
import type { User } from '../../domain/accounts/ports.ts';
import { presentFields } from '../answers/present.ts';
import { defineHandlers, projectDeps } from './admin-operations.ts';

export const alertHandlers = defineHandlers((deps) => {
  const { alerts } = deps;
  const findProject = async ({ project_id: id }: { readonly project_id: string }, user: User): Promise<string> =>
    (await requireProject(projectDeps(deps), user, id)).id;
  return {
    readAlert: async ({ request, params, signedIn }) => {
      const alert = await alerts.alerts.find(await findProject(params, signedIn().user));
      return { request_id: request.id, alert: alert ? presentAlert(alert) : null };
    },
    putAlert: async ({ request, params, body, signedIn }) => {
      const { user } = signedIn();
      const { url, secret, error_rate: errorRate, fill_rates: fillRates } = body;
      const change = { url, secret, errorRate: errorRate ?? null, fillRates: fillRates ?? false };
      const alert = await saveAlert(alerts, user, await findProject(params, user), change);
      return { request_id: request.id, alert: presentAlert(alert) };
    },
    deleteAlert: async ({ request, params, signedIn }) => {
      const { user } = signedIn();
      const projectId = await findProject(params, user);
      await removeAlert(alerts, user, projectId);
      return { request_id: request.id, deleted: projectId };
    },
    testAlert: async ({ request, params, signedIn }) => {
      const alert = await requireAlert(alerts, await findProject(params, signedIn().user));
      return { request_id: request.id, refused: await alerts.watcher.test(alert) };
    },
  };
});

function presentAlert(alert: Alert): AlertResponse['alert'] {
  const fields = presentFields(alert, ['url', 'errorRate', 'fillRates', 'changedAt', 'lastError']);
  return { ...fields, active: [...alert.active] };
}
