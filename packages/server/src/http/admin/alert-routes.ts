import type { AlertResponse } from '@winnow/contract';
import { removeAlert, requireAlert, saveAlert } from '../../domain/alerts/alerts.ts';
import type { Alert } from '../../domain/alerts/alert-ports.ts';
import { presentFields } from '../answers/present.ts';
import { defineHandlers } from './admin-operations.ts';

export const alertHandlers = defineHandlers((deps) => {
  const { alerts } = deps;
  return {
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
