import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/** An HTTP proxy on loopback that connects to any CONNECT target. */
export interface ConnectProxy {
  readonly url: string;
  /** Returns the authorities (`host:port`) requested since the last call, in order. */
  take(): string[];
  close(): Promise<void>;
}

export async function startConnectProxy(): Promise<ConnectProxy> {
  const sockets = new Set<net.Socket>();
  const targets: string[] = [];
  const server = http.createServer((request, response) => {
    targets.push(`${request.method} ${request.url}`);
    response.writeHead(405).end();
  });
  server.on('connect', (request, stream, head) => {
    const client = stream as net.Socket;
    const authority = request.url ?? '';
    targets.push(authority);
    const { hostname, port } = new URL(`http://${authority}`);
    const target = net.connect(Number(port), hostname.replaceAll(/[[\]]/g, ''), () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      target.write(head);
    });
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    }
    pipeline(client, target, client, () => target.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take: () => targets.splice(0),
    async close() {
      server.close();
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
