import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A site on loopback whose pages differ in size; some have the same content. */
export interface Pages {
  /** `host:port`. */
  readonly address: string;
  nextUrl(): string;
  close(): Promise<void>;
}

/** Every n-th page has the same content, so that kills hit deduplicated snapshots too. */
const REPEAT_EVERY = 4;

export async function startPages(): Promise<Pages> {
  let count = 0;
  const server = createServer((request, response) => {
    const number = Number(new URL(request.url ?? '/', 'http://site').searchParams.get('page'));
    const text = number % REPEAT_EVERY === 0 ? 'the same as before' : `page ${number}`;
    const paragraphs = `<p>${text}, and ${Math.sqrt(number)} of it</p>`.repeat(1 + ((number * 37) % 2000));
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
    response.end(
      `<!doctype html><title>${text}</title><main>${number % REPEAT_EVERY === 0 ? text : paragraphs}</main>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    address,
    nextUrl: () => {
      count += 1;
      return `http://${address}/?page=${count}`;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
