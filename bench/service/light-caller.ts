import { connect } from 'node:net';
import type { Socket } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/**
 * A minimal HTTP client: one request at a time on each persistent socket. In production callers run on other machines; the
 * processor time of a full HTTP client would here be missing for the measured service. Reads only answers with a
 * `Content-Length`: the service sends no others.
 */
export class LightCaller {
  readonly #host: string;
  readonly #port: number;
  readonly #idle: Socket[] = [];

  /** @param url of the service; only host and port are used */
  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#host = hostname;
    this.#port = Number(port);
  }

  async post(path: string, headers: Readonly<Record<string, string>>, body: string): Promise<Answer> {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `POST ${path} HTTP/1.1\r\nHost: ${this.#host}:${this.#port}\r\n${lines.join('')}`;
    const socket = this.#idle.pop() ?? connect({ host: this.#host, port: this.#port, noDelay: true });
    const answer = readAnswer(socket);
    socket.write(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    const read = await answer;
    this.#idle.push(socket);
    return read;
  }

  close(): void {
    for (const socket of this.#idle) socket.destroy();
  }
}

/** @throws when the connection ends before the answer is complete, or when the answer is malformed */
function readAnswer(socket: Socket): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const chunks: Buffer[] = [];
  let received = 0;
  let headers: AnswerHeaders | undefined;
  const settle = (done: () => void): void => {
    socket.off('data', onData).off('error', onEnd).off('close', onEnd);
    done();
  };
  const onEnd = (error?: unknown): void =>
    settle(() => reject(new Error('the connection ended before the answer', { cause: error })));
  const onData = (chunk: Buffer): void => {
    chunks.push(chunk);
    received += chunk.length;
    try {
      headers ??= readHeaders(chunks);
    } catch (error) {
      settle(() => reject(error));
      socket.destroy();
      return;
    }
    if (headers === undefined || received < headers.bytes + headers.bodyBytes) return;
    const { status, bytes } = headers;
    settle(() => resolve({ status, body: Buffer.concat(chunks).subarray(bytes) }));
  };
  socket.on('data', onData).on('error', onEnd).on('close', onEnd);
  return promise;
}

interface AnswerHeaders {
  readonly status: number;
  /** Length of the status line and the headers, with the empty line. */
  readonly bytes: number;
  readonly bodyBytes: number;
}

/**
 * Returns undefined until the headers are complete.
 * @throws when they have no valid status line or no `Content-Length`
 */
function readHeaders(chunks: readonly Buffer[]): AnswerHeaders | undefined {
  const text = Buffer.concat(chunks).toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(text) ?? [];
  const [, length] = /\r\ncontent-length: *(\d+)\r\n/i.exec(text.slice(0, end + 2)) ?? [];
  if (status === undefined || length === undefined) throw new Error(`not an answer: ${text.slice(0, 200)}`);
  return { status: Number(status), bytes: end + 4, bodyBytes: Number(length) };
}
