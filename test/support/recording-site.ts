import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ARTICLE } from './test-pages.ts';

/** A site of one article that records the headers of each request. */
export interface RecordingSite {
  readonly url: string;
  readonly seen: readonly IncomingHttpHeaders[];
  close(): void;
}

export async function startRecordingSite(): Promise<RecordingSite> {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(ARTICLE);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/page`,
    seen,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
