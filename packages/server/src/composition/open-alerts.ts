import type { Config } from '../config/config.ts';
import { AlertWatcher } from '../domain/alerts/alert-watcher.ts';
import type { AlertDeps } from '../domain/alerts/alerts.ts';
import type { ProjectEgress, UrlPolicy } from '../domain/capture/capture-ports.ts';
import type { Logger } from '../domain/shared/ports.ts';
import type { SecretBox } from '../domain/shared/secrets.ts';
import type { Egress } from '../egress/egress.ts';
import { SignedWebhooks } from '../outbound/webhooks.ts';
import type { Store } from '../store/open-store.ts';

export interface OpenAlertsParts {
  readonly store: Store;
  readonly pages: { readonly urlPolicy: UrlPolicy; readonly projectEgress: ReadonlyMap<string, ProjectEgress> };
  readonly egress: Egress;
  readonly secrets: SecretBox | undefined;
  readonly logger: Logger;
  readonly node: string;
}

export interface OpenedAlerts {
  readonly deps: AlertDeps;
  start(): void;
  close(): Promise<void>;
}

export function openAlerts(
  config: Config,
  { store, pages, egress, secrets, logger, node }: OpenAlertsParts,
): OpenedAlerts {
  const { urlPolicy, projectEgress } = pages;
  const watcher = new AlertWatcher({
    alerts: store.alerts,
    projects: store.projects,
    metrics: store.metrics,
    templates: store.siteTemplates,
    sender: new SignedWebhooks({ egress, projectEgress, userAgent: config.userAgent }),
    secrets,
    logger,
    sharing: store.shared && { tasks: store.shared.tasks, node },
  });
  return {
    deps: { alerts: store.alerts, watcher, urlPolicy, projectEgress, secrets, audit: store.accounts },
    start: () => watcher.start(),
    close: () => watcher.close(),
  };
}
