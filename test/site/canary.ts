import dgram from 'node:dgram';
import { once } from 'node:events';
import net from 'node:net';
import type { AddressInfo } from 'node:net';

export interface Canary {
  readonly port: number;
  /** First line of each connection, and datagrams. Must stay empty when the address is refused. */
  readonly visits: readonly string[];
  close(): Promise<void>;
}

const LOOPBACK_ADDRESSES = ['127.0.0.1', '127.0.0.2', '::1'] as const;

/**
 * Listens, for TCP and UDP, on one port of several loopback addresses of both families, and records visits. Answers
 * HTTP requests with an empty page, so that an allowed visit works.
 */
export async function startCanary(): Promise<Canary> {
  const visits: string[] = [];
  const sockets = new Set<net.Socket>();
  const onConnection = (socket: net.Socket): void => {
    const visit = visits.push('connected') - 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    socket.once('data', (data) => {
      visits[visit] = data.toString('latin1').split('\r\n', 1)[0] ?? '';
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\nAccess-Control-Allow-Origin: *\r\n\r\n');
    });
  };
  const closers: (() => Promise<unknown>)[] = [];
  let port = 0;
  for (const address of LOOPBACK_ADDRESSES) {
    const server = net.createServer(onConnection).listen(port, address);
    // A machine without IPv6 has one address fewer.
    if (!(await opens(server))) continue;
    port = (server.address() as AddressInfo).port;
    closers.push(() => once(server.close(), 'close'));
    const datagrams = dgram.createSocket(address === '::1' ? 'udp6' : 'udp4');
    datagrams.on('message', () => visits.push('datagram'));
    datagrams.bind(port, address);
    await once(datagrams, 'listening');
    closers.push(() => once(datagrams.close(), 'close'));
  }
  return {
    port,
    visits,
    async close() {
      for (const socket of sockets) socket.destroy();
      await Promise.all(closers.map((close) => close()));
    },
  };
}

async function opens(server: net.Server): Promise<boolean> {
  return once(server, 'listening').then(
    () => true,
    () => false,
  );
}
