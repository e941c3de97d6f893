import { createHmac } from 'node:crypto';
import { request as sendRequest } from 'undici';
import type { WebhookCall, WebhookSender } from '../domain/batches/batch-ports.ts';
import type { ProjectEgress } from '../domain/capture/capture-ports.ts';
import { checkUrl } from '../egress/policy/check-url.ts';
import type { Egress } from '../egress/egress.ts';

export interface WebhookOptions {
  readonly egress: Pick<Egress, 'guard'>;
  /** By project id. */
  readonly projectEgress: ReadonlyMap<string, ProjectEgress>;
  readonly userAgent: string;
}

const TIMEOUT_MS = 15_000;

/**
 * Sends webhooks by https://www.standardwebhooks.com with the trace of the batch's request. Follows no redirects.
 */
export class SignedWebhooks implements WebhookSender {
  readonly #options: WebhookOptions;

  constructor(options: WebhookOptions) {
    this.#options = options;
  }

  async send({ webhook, projectId, id, body: text, trace }: WebhookCall, signal: AbortSignal): Promise<void> {
    const url = new URL(webhook.url);
    const guard = this.#options.egress.guard(this.#options.projectEgress.get(projectId));
    checkUrl(url, guard.policy);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const { statusCode, body } = await sendRequest(url, {
      method: 'POST',
      dispatcher: guard.dispatcher,
      headers: {
        'content-type': 'application/json',
        'user-agent': this.#options.userAgent,
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${sign(webhook.secret, `${id}.${timestamp}.${text}`)}`,
        ...trace,
      },
      body: text,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    body.on('error', () => undefined);
    await body.dump({ limit: 65_536 }).catch(() => undefined);
    if (statusCode < 200 || statusCode > 299) throw new Error(`the webhook answered with status ${statusCode}`);
  }
}

function sign(secret: string, text: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return createHmac('sha256', key).update(text).digest('base64');
}
