import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A site that delays its answers until a test releases them. */
export interface SlowSite {
  readonly origin: string;
  /** Requested paths, in order. */
  readonly requests: string[];
  answerOldest(): void;
  /** Answers everything from now on. */
  open(): void;
  close(): Promise<void>;
}

const PAGE = `<!doctype html><html lang="en"><title>Held</title><main><h1>Held</h1>${'<p>Text of a page that came late, in a sentence that is long enough to count.</p>'.repeat(5)}</main></html>`;

export async function startSlowSite(): Promise<SlowSite> {
  const requests: string[] = [];
  const held: ServerResponse[] = [];
  let isOpen = false;
  const answer = (response: ServerResponse | undefined): void =>
    void response?.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(PAGE);
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    if (isOpen) answer(response);
    else held.push(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answerOldest: () => answer(held.shift()),
    open: () => {
      isOpen = true;
      for (const response of held.splice(0)) answer(response);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
