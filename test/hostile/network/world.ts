/**
 * The outside world, in a separate network namespace: the test site at public addresses, and a canary at every
 * other address. Started by `two-networks.ts`, which sends a command when the interfaces exist.
 */
import dgram from 'node:dgram';
import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import net from 'node:net';
import { answerRequest } from '../../site/answer-request.ts';
import { PUBLIC_IPV4, PUBLIC_IPV6 } from './addresses.ts';

export interface WorldCommand {
  readonly key: string;
  readonly cert: string;
}

export interface Sightings {
  /** `address:port` and the visit, such as `GET HTTP/2.0 /path`, at addresses other than the site's. */
  readonly canary: readonly string[];
  /** Method, protocol and path of each request at the site. */
  readonly site: readonly string[];
  /** Targets of the CONNECT requests at the proxy. */
  readonly proxy: readonly string[];
}

const TCP_CANARY_PORTS = [8080, 3478, 5349, 6443, 2375];
const UDP_CANARY_PORTS = [53, 80, 443, 3478, 5353, 8080];
const PROXY_PORT = 3128;

/** Known first bytes of connections to the {@link TCP_CANARY_PORTS}, in hexadecimal. */
const OPENINGS: Readonly<Record<string, RegExp>> = {
  'TLS-handshake': /^1603/,
  // RFC 8656, 3.1
  'TURN-allocate': /^0003/,
  // RFC 6544, 10.1: after the length
  'ICE-binding': /^.{4}0001.{4}2112a442/,
};

const sightings = { canary: [] as string[], site: [] as string[], proxy: [] as string[] };

function isSite(address: string | undefined): boolean {
  return address === PUBLIC_IPV4 || address === PUBLIC_IPV6;
}

function plain(address: string | undefined): string {
  return (address ?? '').replace(/^::ffff:/, '');
}

const answer = (request: http.IncomingMessage, response: http.ServerResponse): void => {
  const { socket, method = '', url = '', httpVersion } = request;
  const address = plain(socket.localAddress);
  if (isSite(address)) {
    sightings.site.push(`${method} HTTP/${httpVersion} ${url}`);
    return void answerRequest(request, response);
  }
  sightings.canary.push(`${address}:${socket.localPort} ${method} HTTP/${httpVersion} ${url}`);
  response.writeHead(200, { 'access-control-allow-origin': '*', 'content-length': 0 }).end();
};

/** A connection counts even when nothing is sent on it. */
function countConnections(server: net.Server): net.Server {
  return server.on('connection', (socket: net.Socket) => {
    socket.on('error', () => {});
    const address = plain(socket.localAddress);
    if (!isSite(address)) sightings.canary.push(`${address}:${socket.localPort} connected`);
  });
}

/** Records how a connection begins, and ends it. */
function createTcpCanary(): net.Server {
  return net.createServer((socket) => {
    socket.once('data', (data) => {
      const start = data.toString('hex', 0, 20);
      const [opening = 'bytes'] = Object.entries(OPENINGS).find(([, pattern]) => pattern.test(start)) ?? [];
      sightings.canary.push(`${plain(socket.localAddress)}:${socket.localPort} ${opening}`);
      socket.destroy();
    });
  });
}

async function startWorld({ key, cert }: WorldCommand): Promise<void> {
  const secure = http2.createSecureServer({ key, cert, allowHTTP1: true }, answer as never);
  secure.on('sessionError', () => {}).on('tlsClientError', () => {});
  const servers: [net.Server, number][] = [
    [http.createServer(answer), 80],
    [secure, 443],
    [createProxy(), PROXY_PORT],
    ...TCP_CANARY_PORTS.map((port): [net.Server, number] => [createTcpCanary(), port]),
  ];
  for (const [server, port] of servers) {
    countConnections(server).listen(port, '::');
    await once(server, 'listening');
  }
  for (const port of UDP_CANARY_PORTS) {
    const socket = dgram.createSocket('udp6').on('message', () => sightings.canary.push(`datagram at port ${port}`));
    socket.bind(port, '::');
    await once(socket, 'listening');
  }
}

/** An HTTP proxy that connects to any target. */
function createProxy(): net.Server {
  const server = http.createServer();
  server.on('connect', (request: http.IncomingMessage, client: net.Socket) => {
    sightings.proxy.push(request.url ?? '');
    const { hostname, port } = new URL(`http://${request.url}`);
    const target = net.connect(Number(port || 80), hostname, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      client.pipe(target).pipe(client);
    });
    target.on('error', () => client.destroy());
    client.on('error', () => target.destroy());
  });
  return server;
}

process.on('message', (order: WorldCommand | 'tell') => {
  if (order === 'tell') process.send?.(sightings);
  else void startWorld(order).then(() => process.send?.('listening'));
});
process.on('disconnect', () => process.exit(0));
process.send?.('spawned');
