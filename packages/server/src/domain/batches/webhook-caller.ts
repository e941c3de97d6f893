import type { Logger } from '../ports.ts';
import type { Batch, BatchRepository, WebhookSender } from './batch-ports.ts';

export interface WebhookCallerOptions {
  readonly batches: BatchRepository;
  readonly sender: WebhookSender;
  readonly logger: Logger;
  /** Milliseconds between looks for what is due. Default 1000. */
  readonly intervalMs?: number;
}

const INTERVAL_MS = 1000;

/** A process that dies while it calls holds nobody up for longer. */
const LEASE_MS = 30_000;

/** Milliseconds until the next try, by how many there were: about a day in all. */
const RETRY_MS = [5000, 30_000, 300_000, 1_800_000, 7_200_000, 28_800_000, 43_200_000];

/** Calls the webhooks of finished batches, each at least once until the other side says 2xx or a day is over. */
export class WebhookCaller {
  readonly #options: WebhookCallerOptions;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: WebhookCallerOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#stop.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#running = this.#callDue().finally(() => this.start());
    }, this.#options.intervalMs ?? INTERVAL_MS).unref();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #callDue(): Promise<void> {
    const { batches, logger } = this.#options;
    try {
      for (;;) {
        if (this.#stop.signal.aborted) return;
        const now = Date.now();
        const batch = await batches.claimWebhook(new Date(now), new Date(now + LEASE_MS));
        if (batch === undefined) return;
        await this.#call(batch);
      }
    } catch (error) {
      logger.warn({ err: error }, 'looking for webhooks failed');
    }
  }

  async #call(batch: Batch): Promise<void> {
    const { batches, sender, logger } = this.#options;
    if (batch.webhook === null) return;
    const body = JSON.stringify({ type: 'batch.completed', batch: await this.#describe(batch) });
    try {
      const { webhook, projectId, id } = batch;
      await sender.send({ webhook, projectId, id, body }, this.#stop.signal);
      await batches.noteWebhook(batch.id, true, null);
    } catch (error) {
      const pauseMs = RETRY_MS[batch.webhook.attempts - 1];
      const reason = error instanceof Error ? error.message : String(error);
      logger.info({ batchId: batch.id, attempt: batch.webhook.attempts, reason }, 'a webhook was not taken');
      await batches.noteWebhook(batch.id, false, pauseMs === undefined ? null : new Date(Date.now() + pauseMs));
    }
  }

  async #describe({ id, state, total, finishedAt }: Batch): Promise<object> {
    const counts = await this.#options.batches.count(id);
    return { id, state, total, counts, finished_at: finishedAt?.toISOString() ?? null };
  }
}
