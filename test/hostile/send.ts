import type { TorturedService } from '../torture/start-tortured-service.ts';

export interface Sent {
  readonly status: number;
  readonly body: {
    readonly dom_id?: string;
    readonly error?: { readonly code: string; readonly stage: string; readonly message: string };
  };
}

/** Sends a JSON body to a service that runs as a process of its own. */
export async function send(service: TorturedService, target: string, body: object): Promise<Sent> {
  const headers = { 'Content-Type': 'application/json', 'X-API-Key': service.key };
  const response = await fetch(service.url + target, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as Sent['body'] };
}
