import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ServedFile {
  readonly type: string | null;
  readonly body: Uint8Array | string;
}

export interface FileServer {
  readonly url: string;
  /** Paths of the requests, in order. */
  readonly requests: readonly string[];
  /** Adds a file and returns its address. */
  add(path: string, body: Uint8Array | string, type?: string | null): string;
  close(): Promise<void>;
}

/** Serves files from memory on loopback. */
export async function serveFiles(): Promise<FileServer> {
  const files = new Map<string, ServedFile>();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    const file = files.get(request.url ?? '');
    const headers = typeof file?.type === 'string' ? { 'Content-Type': file.type } : {};
    response.writeHead(file === undefined ? 404 : 200, headers).end(file?.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    requests,
    add(path, body, type = 'application/pdf') {
      files.set(path, { type, body });
      return url + path;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
