import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface DistinctPages {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves a different page at every path. */
export async function serveDistinctPages(): Promise<DistinctPages> {
  const server = createServer((request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' });
    response.end(`<!doctype html><title>${request.url}</title><p>${'The text of a page of its own. '.repeat(20)}</p>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
