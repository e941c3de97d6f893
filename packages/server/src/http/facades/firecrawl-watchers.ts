import { createHash } from 'node:crypto';
import type { IncomingMessage, Server, ServerOptions } from 'node:http';

/** Addresses that Firecrawl's watcher opens as a WebSocket. */
const WATCHED = /^\/v2\/(?:crawl|batch\/scrape)\/[^/?]+$/;

/** RFC 6455, 1.3. */
const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

const LINGER_MS = 2000;

/** A close frame with the status 1000. */
const CLOSE = Buffer.from([0x88, 0x02, 0x03, 0xe8]);

/**
 * Opens and closes the WebSocket of Firecrawl's watcher, which then asks for the state again and again. It gives up when the
 * WebSocket cannot be opened. Nothing is told, so that no key is needed.
 */
export function closeWatchers(server: Server): void {
  // Other requests to upgrade are answered as if they asked for nothing.
  Object.assign(server, { shouldUpgradeCallback: isWatcher } satisfies ServerOptions);
  server.on('upgrade', ({ headers }, socket) => {
    socket.on('error', () => undefined);
    const accept = createHash('sha1').update(`${headers['sec-websocket-key'] ?? ''}${ACCEPT_SUFFIX}`);
    // The client sends its key as the protocol, and expects it back.
    const protocol = headers['sec-websocket-protocol']?.split(',', 1)[0];
    const lines = [
      'HTTP/1.1 101 Switching Protocols',
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${accept.digest('base64')}`,
      ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    socket.end(CLOSE);
    // The client may keep its side open.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
}

function isWatcher({ url = '', headers }: IncomingMessage): boolean {
  return WATCHED.test(url) && headers.upgrade?.toLowerCase() === 'websocket';
}
