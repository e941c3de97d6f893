import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { ARTICLE } from '../../support/test-pages.ts';

/** A site whose answers are bytes, well-formed or not. */
export interface HostileSite {
  readonly url: string;
  /** Serves the bytes of an answer at a path, until `remove`. */
  add(path: string, answer: Buffer): void;
  remove(path: string): void;
  close(): Promise<void>;
}

/** Returns the bytes of a well-formed answer. */
export function makeAnswer(type: string | null, body: Buffer, moreHeaders = ''): Buffer {
  const typeLine = type === null ? '' : `Content-Type: ${type}\r\n`;
  const head = `HTTP/1.1 200 OK\r\n${typeLine}${moreHeaders}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}

const NOT_FOUND = Buffer.from('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
const OTHER_PAGE = makeAnswer('text/html', Buffer.from(ARTICLE));
const HEAD_END = '\r\n\r\n';

/** Starts a site on loopback that answers `/robots.txt` and sitemaps with 404, and other unknown paths with an article. */
export async function startHostileSite(): Promise<HostileSite> {
  const answers = new Map<string, Buffer>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let head = '';
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', (piece) => {
      if (head.includes(HEAD_END)) return;
      head += piece.toString('latin1');
      if (!head.includes(HEAD_END)) return;
      const path = /^\S+ (\S*)/.exec(head)?.[1] ?? '/';
      const isAbsent = /^\/(?:robots\.txt|sitemap)/.test(path);
      socket.end(answers.get(path) ?? (isAbsent ? NOT_FOUND : OTHER_PAGE));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (path, answer) => void answers.set(path, answer),
    remove: (path) => void answers.delete(path),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
