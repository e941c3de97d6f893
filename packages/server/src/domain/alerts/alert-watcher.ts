import type { ProjectRepository } from '../keys/key-ports.ts';
import { SPANS, type MetricRepository } from '../metrics/ports.ts';
import { newId } from '../shared/new-id.ts';
import type { Logger } from '../shared/ports.ts';
import { runAlone, type Sharing } from '../shared/leases.ts';
import { AppError, messageOf } from '../shared/errors.ts';
import type { SecretBox } from '../shared/secrets.ts';
import { WakeableSleep } from '../shared/time-limit.ts';
import type { WebhookSender } from '../batches/batch-ports.ts';
import { openWebhookSecret } from '../batches/webhook-caller.ts';
import { isDrifting } from '../templates/health-recorder.ts';
import { nameVersion, type TemplateRepository } from '../templates/template-ports.ts';
import type { Alert, AlertRepository } from './alert-ports.ts';

export interface AlertWatcherDeps {
  readonly alerts: AlertRepository;
  readonly projects: ProjectRepository;
  readonly metrics: MetricRepository;
  readonly templates: Pick<TemplateRepository, 'list'>;
  readonly sender: WebhookSender;
  readonly secrets: SecretBox | undefined;
  readonly logger: Logger;
  /** With several nodes: one of them watches. */
  readonly sharing?: Sharing | undefined;
  readonly now?: () => Date;
}

const INTERVAL_MS = 60_000;
const TASK = 'alerts';

/** Errors are counted over this time. */
const WINDOW_SECONDS = 900;

/** Fewer requests and items say nothing. */
const MIN_COUNT = 20;

/** Active templates of a project that are looked at, the newest first. */
const MAX_TEMPLATES = 500;

/** For the calls of one project in one look: those that are left are made in the next minute. */
const TELL_MS = 60_000;

/** Projects that are called at the same time: a silent receiver delays few others. */
const AT_ONCE = 16;

interface ErrorCounts {
  readonly count: number;
  readonly failed: number;
}

/**
 * Tells the receiver of a project when something begins and ends to hold, at least once: a call that is not accepted is
 * made again in the next minute.
 */
export class AlertWatcher {
  readonly #deps: AlertWatcherDeps;
  readonly #stop = new AbortController();
  readonly #sleeper = new WakeableSleep(this.#stop.signal);
  /** Projects whose test is being sent. */
  readonly #tested = new Set<string>();
  #loop: Promise<void> | undefined;

  constructor(deps: AlertWatcherDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#loop ??= this.#work();
  }

  wake(): void {
    this.#sleeper.wake();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  async #work(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#watchAlone().catch((error: unknown) =>
        this.#deps.logger.warn({ err: error }, 'watching for alerts failed'),
      );
      await this.#sleeper.sleep(INTERVAL_MS);
    }
  }

  async #watchAlone(): Promise<void> {
    const { sharing } = this.#deps;
    if (sharing === undefined) return this.watch();
    // Due a little earlier, so that no round is missed.
    await runAlone(sharing, TASK, INTERVAL_MS / 2, this.#stop.signal, () => this.watch());
  }

  async watch(): Promise<void> {
    const projects = await this.#deps.projects.list();
    const open = new Set(projects.filter(({ archivedAt }) => archivedAt === null).map(({ id }) => id));
    const alerts = (await this.#deps.alerts.list()).filter(({ projectId }) => open.has(projectId));
    if (alerts.length === 0) return;
    const counts = await this.#countErrors(new Set(alerts.map(({ projectId }) => projectId)));
    for (let start = 0; start < alerts.length && !this.#stop.signal.aborted; start += AT_ONCE)
      await Promise.all(
        alerts
          .slice(start, start + AT_ONCE)
          .map((alert) => this.#tell(alert, counts.get(alert.projectId) ?? { count: 0, failed: 0 })),
      );
  }

  async #tell(alert: Alert, counts: ErrorCounts): Promise<void> {
    const holds = new Map<string, object>();
    const { errorRate, projectId } = alert;
    if (errorRate !== null && counts.count >= MIN_COUNT && counts.failed / counts.count >= errorRate)
      holds.set('error_rate', {});
    for (const name of alert.fillRates ? await this.#findDrifting(projectId) : []) holds.set(name, { template: name });
    const changes = [
      ...[...holds.keys()]
        .filter((name) => !alert.active.includes(name))
        .map((name) => ({ name, type: 'alert.started' })),
      ...alert.active.filter((name) => !holds.has(name)).map((name) => ({ name, type: 'alert.ended' })),
    ];
    let { active, lastError } = alert;
    const until = this.#now().getTime() + TELL_MS;
    for (const { name, type } of changes) {
      if (this.#now().getTime() >= until) break;
      const isRate = name === 'error_rate';
      const what = isRate
        ? { kind: 'error_rate', threshold: errorRate, window_seconds: WINDOW_SECONDS, ...counts }
        : { kind: 'fill_rates', template: name };
      lastError = await this.#call(alert, type, what);
      if (lastError !== null) break;
      active = type === 'alert.started' ? [...active, name] : active.filter((one) => one !== name);
    }
    if (changes.length > 0) await this.#deps.alerts.note(alert, { active, lastError });
  }

  /**
   * Sends a call that says nothing; returns why it was not accepted.
   * @throws {AppError} `conflict` while another one of the project is being sent
   */
  async test(alert: Alert): Promise<string | null> {
    const { projectId } = alert;
    if (this.#tested.has(projectId)) throw new AppError('conflict', 'another test of this alert has not ended yet');
    this.#tested.add(projectId);
    try {
      return await this.#call(alert, 'alert.test', { kind: 'test' });
    } finally {
      this.#tested.delete(projectId);
    }
  }

  /** Returns why the call was not accepted. */
  async #call(alert: Pick<Alert, 'projectId' | 'url' | 'secret'>, type: string, what: object): Promise<string | null> {
    const { sender, secrets, logger } = this.#deps;
    const { projectId, url } = alert;
    const at = this.#now().toISOString();
    try {
      const secret = openWebhookSecret(alert.secret, projectId, secrets);
      const body = JSON.stringify({ type, alert: { project_id: projectId, at, ...what } });
      const call = { webhook: { url, secret }, projectId, id: newId('alr'), body, trace: undefined };
      await sender.send(call, this.#stop.signal);
      return null;
    } catch (error) {
      const reason = messageOf(error);
      logger.info({ projectId, reason }, 'the webhook of an alert was not accepted');
      return reason;
    }
  }

  #now(): Date {
    return this.#deps.now?.() ?? new Date();
  }

  async #findDrifting(projectId: string): Promise<string[]> {
    const found = await this.#deps.templates.list({ state: 'active', projectId, limit: MAX_TEMPLATES });
    return found.filter(({ health }) => isDrifting(health)).map(nameVersion);
  }

  async #countErrors(projectIds: ReadonlySet<string>): Promise<Map<string, ErrorCounts>> {
    const { metrics } = this.#deps;
    const end = Math.floor(this.#now().getTime() / 1000) + 1;
    const from = end - WINDOW_SECONDS;
    const counts = new Map<string, ErrorCounts>();
    const add = (projectId: string, count: number, failed: number): void => {
      const before = counts.get(projectId) ?? { count: 0, failed: 0 };
      counts.set(projectId, { count: before.count + count, failed: before.failed + failed });
    };
    for await (const spans of metrics.readSpans(SPANS.minute, from, end, projectIds))
      for (const { projectId, code, count } of spans) add(projectId, count, code === 'ok' ? 0 : count);
    for await (const samples of metrics.readSamples(from, end))
      for (const { projectId, name, value } of samples) {
        if (projectId === null || !projectIds.has(projectId)) continue;
        if (name === 'items') add(projectId, value, 0);
        if (name === 'items_failed') add(projectId, 0, value);
      }
    return counts;
  }
}
