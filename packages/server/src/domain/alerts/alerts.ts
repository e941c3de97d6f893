import { recordAudit, type Actor } from '../accounts/audit.ts';
import type { AccountDeps } from '../accounts/ports.ts';
import { checkTarget } from '../capture/check-target.ts';
import type { ProjectEgress, UrlPolicy } from '../capture/capture-ports.ts';
import { sealWebhookSecret } from '../batches/webhook-caller.ts';
import { AppError } from '../shared/errors.ts';
import type { SecretBox } from '../shared/secrets.ts';
import type { Alert, AlertRepository } from './alert-ports.ts';
import type { AlertWatcher } from './alert-watcher.ts';

export interface AlertDeps {
  readonly alerts: AlertRepository;
  readonly watcher: Pick<AlertWatcher, 'test' | 'wake'>;
  readonly urlPolicy: UrlPolicy;
  /** By project id. */
  readonly projectEgress: ReadonlyMap<string, ProjectEgress>;
  readonly secrets: SecretBox | undefined;
  readonly audit: Pick<AccountDeps, 'audit' | 'now'>;
}

export interface AlertChange extends Pick<Alert, 'url' | 'errorRate' | 'fillRates'> {
  /** Absent: the one before. */
  readonly secret: string | undefined;
}

/**
 * Stores the alert of a project in place of an earlier one.
 * @throws {AppError} `invalid_request` without a secret, `url_not_allowed`
 */
export async function saveAlert(deps: AlertDeps, actor: Actor, projectId: string, change: AlertChange): Promise<Alert> {
  checkTarget(change.url, 'url', deps.urlPolicy, deps.projectEgress.get(projectId));
  const before = await deps.alerts.find(projectId);
  const secret =
    change.secret === undefined ? before?.secret : sealWebhookSecret(change.secret, projectId, deps.secrets);
  if (secret === undefined) throw new AppError('invalid_request', 'secret: is required for the first alert');
  const changedAt = deps.audit.now?.() ?? new Date();
  const { url, errorRate, fillRates } = change;
  // Another receiver knows nothing of what holds.
  const active = before?.url === url ? before.active : [];
  const alert = { projectId, url, errorRate, fillRates, secret, active, changedAt, lastError: null };
  await deps.alerts.put(alert);
  await recordAudit(deps.audit, actor, { action: 'alert.update', projectId, target: url });
  deps.watcher.wake();
  return alert;
}

/** @throws {AppError} `not_found` */
export async function requireAlert({ alerts }: Pick<AlertDeps, 'alerts'>, projectId: string): Promise<Alert> {
  const alert = await alerts.find(projectId);
  if (alert === undefined) throw new AppError('not_found', 'this project has no alert');
  return alert;
}

/** @throws {AppError} `not_found` */
export async function removeAlert(deps: AlertDeps, actor: Actor, projectId: string): Promise<void> {
  const { url } = await requireAlert(deps, projectId);
  await deps.alerts.delete(projectId);
  await recordAudit(deps.audit, actor, { action: 'alert.delete', projectId, target: url });
}
