import type { SecretBox } from '../shared/secrets.ts';
import type { Logger } from '../shared/ports.ts';
import { WakeableSleep } from '../shared/time-limit.ts';
import type { Batch, BatchRepository, BatchWebhooks, WebhookSender } from './batch-ports.ts';
import { messageOf } from '../shared/errors.ts';

export interface WebhookCallerOptions {
  readonly batches: Pick<BatchRepository, 'count'>;
  readonly webhooks: BatchWebhooks;
  readonly sender: WebhookSender;
  readonly secrets: SecretBox | undefined;
  readonly logger: Logger;
  /** Default 1000. */
  readonly intervalMs?: number;
}

const INTERVAL_MS = 1000;

const LEASE_MS = 30_000;

/** About a day in total. */
const RETRY_MS = [5000, 30_000, 300_000, 1_800_000, 7_200_000, 28_800_000, 43_200_000];

/** A silent receiver must delay only itself, and a project with many of them only its own calls. */
const MAX_CALLS = 16;
const MAX_CALLS_OF_RECEIVER = 2;

/** Calls webhooks at least once, until a 2xx response or for a day. */
export class WebhookCaller {
  readonly #options: WebhookCallerOptions;
  readonly #stop = new AbortController();
  readonly #sleeper = new WakeableSleep(this.#stop.signal);
  readonly #calls = new Map<Promise<void>, { readonly receiver: string; readonly projectId: string }>();
  #loop: Promise<void> | undefined;

  constructor(options: WebhookCallerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#loop ??= this.#work();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
    await Promise.all(this.#calls.keys());
  }

  async #work(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#beginDue().catch(this.#warn('searching for due webhooks'));
      await this.#sleeper.sleep(this.#options.intervalMs ?? INTERVAL_MS);
    }
  }

  async #beginDue(): Promise<void> {
    while (this.#calls.size < MAX_CALLS && !this.#stop.signal.aborted) {
      const now = Date.now();
      const batch = await this.#options.webhooks.claimDue(new Date(now), new Date(now + LEASE_MS), this.#mayCall);
      if (batch === undefined) return;
      this.#begin(batch);
    }
  }

  /** A project may make at most as many calls as are free, so that others always find a free one. */
  readonly #mayCall = (url: string, projectId: string): boolean => {
    const receiver = readReceiver(url);
    const calls = [...this.#calls.values()];
    return (
      calls.filter((call) => call.receiver === receiver).length < MAX_CALLS_OF_RECEIVER &&
      calls.filter((call) => call.projectId === projectId).length < MAX_CALLS - calls.length
    );
  };

  #begin(batch: Batch): void {
    const task = this.#call(batch)
      .catch(this.#warn('calling a webhook'))
      .finally(() => {
        this.#calls.delete(task);
        this.#sleeper.wake();
      });
    this.#calls.set(task, { receiver: readReceiver(batch.webhook?.url ?? ''), projectId: batch.projectId });
  }

  #warn(what: string): (error: unknown) => void {
    return (error) => this.#options.logger.warn({ err: error }, `${what} failed`);
  }

  async #call(batch: Batch): Promise<void> {
    const { webhooks, sender, logger } = this.#options;
    if (batch.webhook === null) return;
    const body = JSON.stringify({ type: `batch.${batch.state}`, batch: await this.#describe(batch) });
    try {
      const { projectId, id, options } = batch;
      const secret = openWebhookSecret(batch.webhook.secret, projectId, this.#options.secrets);
      const webhook = { ...batch.webhook, secret };
      await sender.send({ webhook, projectId, id, body, trace: options.trace }, this.#stop.signal);
      await webhooks.noteCall(batch.id, true, null);
    } catch (error) {
      const pauseMs = RETRY_MS[batch.webhook.attempts - 1];
      const reason = messageOf(error);
      logger.info({ batchId: batch.id, attempt: batch.webhook.attempts, reason }, 'a webhook was not accepted');
      await webhooks.noteCall(batch.id, false, pauseMs === undefined ? null : new Date(Date.now() + pauseMs));
    }
  }

  async #describe({ id, state, total, finishedAt }: Batch): Promise<object> {
    const counts = await this.#options.batches.count(id);
    return { id, state, total, counts, finished_at: finishedAt?.toISOString() ?? null };
  }
}

/** Start of a secret in the clear, as of deployments without a key, and of batches of earlier versions. */
const CLEAR = 'whsec_';

export function sealWebhookSecret(secret: string, projectId: string, box: SecretBox | undefined): string {
  return box === undefined ? secret : box.seal(secret, projectId);
}

/** @throws {Error} when the secret was sealed with another key */
export function openWebhookSecret(stored: string, projectId: string, box: SecretBox | undefined): string {
  if (stored.startsWith(CLEAR)) return stored;
  const secret = box?.open(stored, projectId);
  if (secret === undefined) throw new Error('the secret of the webhook was stored with another WINNOW_SECRET_KEY');
  return secret;
}

function readReceiver(url: string): string {
  return URL.parse(url)?.host ?? '';
}
