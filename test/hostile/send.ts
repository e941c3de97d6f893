import type { TorturedService } from '../torture/start-tortured-service.ts';

export interface Sent {
  readonly status: number;
  /** The header `Retry-After`; null without one. */
  readonly retryAfter: string | null;
  readonly body: {
    readonly dom_id?: string;
    readonly error?: { readonly code: string; readonly stage: string; readonly message: string };
  };
}

/** Sends a JSON body to a service in a separate process. */
export async function send(service: TorturedService, target: string, body: object): Promise<Sent> {
  const headers = { 'Content-Type': 'application/json', 'X-API-Key': service.key };
  const response = await fetch(service.url + target, { method: 'POST', headers, body: JSON.stringify(body) });
  const retryAfter = response.headers.get('retry-after');
  return { status: response.status, retryAfter, body: (await response.json()) as Sent['body'] };
}
