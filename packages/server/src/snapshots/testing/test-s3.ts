/** A real S3 server behind a proxy that adds missing features and faults. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as sendRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import S3rver from '@20minutes/s3rver';
import type { S3SnapshotOptions } from '../s3-snapshot-content.ts';

export interface TestS3 {
  createOptions(): S3SnapshotOptions;
  /** One per request. */
  readonly faults: S3Fault[];
  readonly requests: string[];
  readonly folder: string;
  /** Refuses all connections from now on. */
  lose(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * `torn-response`: the body breaks off; `lost-answer`: the connection breaks after the request was performed;
 * `damaged`: one wrong byte.
 */
export type S3Fault = 'slow-down' | 'silence' | 'torn-response' | 'lost-answer' | 'damaged';

const BUCKET = 'winnow-test';

const CREDENTIALS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

export interface TestS3Options {
  /** The server behind the proxy ignores conditions. Default true. */
  readonly conditions?: boolean;
  readonly port?: number;
  /** Default: a temporary folder. */
  readonly folder?: string;
}

export async function startTestS3({
  conditions = true,
  port: ownPort = 0,
  ...given
}: TestS3Options = {}): Promise<TestS3> {
  const folder = given.folder ?? (await mkdtemp(path.join(tmpdir(), 'winnow-s3-')));
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    // The server's canonical form of a bucket's path differs from the SDK's.
    allowMismatchedSignatures: true,
    directory: folder,
    configureBuckets: [{ name: BUCKET }],
  });
  const { port } = await server.run();
  const faults: S3Fault[] = [];
  const requests: string[] = [];
  const proxy = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const forward = conditions ? passIfConditionHolds : passOn;
    void forward({ request, response, port, fault: faults.shift() }).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(ownPort, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  let count = 0;
  const lose = async (): Promise<void> => {
    proxy.closeAllConnections();
    if (proxy.listening) await new Promise((resolve) => proxy.close(resolve));
  };
  return {
    faults,
    requests,
    folder: path.join(folder, BUCKET),
    createOptions: () => {
      count += 1;
      const prefix = `test-${count}/`;
      return { bucket: BUCKET, prefix, endpoint, region: 'us-east-1', credentials: CREDENTIALS, pathStyle: true };
    },
    lose,
    stop: async () => {
      await lose();
      await server.close();
      if (given.folder === undefined) await rm(folder, { recursive: true });
    },
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly port: number;
  readonly fault: S3Fault | undefined;
}

async function passIfConditionHolds(exchange: Exchange): Promise<void> {
  const { request, response, port } = exchange;
  const { 'if-none-match': noneMatch, 'if-match': match } = request.headers;
  const isWrite = ['PUT', 'POST', 'DELETE'].includes(request.method ?? '');
  if (isWrite && (noneMatch !== undefined || match !== undefined)) {
    const etag = await readEtag(port, (request.url ?? '').split('?', 1)[0] ?? '');
    if (noneMatch === '*' ? etag !== undefined : etag !== match) {
      request.resume();
      answerError(response, 412, 'PreconditionFailed');
      return;
    }
  }
  await passOn(exchange);
}

/** The server accepts unsigned requests. */
function readEtag(port: number, objectPath: string): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    sendRequest({ port, host: '127.0.0.1', method: 'HEAD', path: objectPath }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200 ? answer.headers.etag : undefined);
    })
      .once('error', reject)
      .end();
  });
}

async function passOn({ request, response, port, fault }: Exchange): Promise<void> {
  if (fault === 'silence') return;
  if (fault === 'slow-down') {
    request.resume();
    answerError(response, 503, 'SlowDown');
    return;
  }
  const { status, headers, body } = await carryOut(request, port);
  if (fault === 'lost-answer') {
    response.destroy();
    return;
  }
  response.writeHead(status, headers);
  if (fault === 'torn-response') {
    response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
    return;
  }
  if (fault === 'damaged') body[body.length >> 1] = (body[body.length >> 1] ?? 0) ^ 0xff;
  response.end(body);
}

function answerError(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'Content-Type': 'application/xml' });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
}

type Answer = { readonly status: number; readonly headers: IncomingMessage['headers']; readonly body: Buffer };

function carryOut(request: IncomingMessage, port: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method, url, headers } = request;
    const onward = sendRequest({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      answer.toArray().then(
        (chunks) =>
          resolve({
            status: answer.statusCode ?? 502,
            headers: answer.headers,
            body: Buffer.concat(chunks as Buffer[]),
          }),
        reject,
      );
    });
    onward.once('error', reject);
    request.pipe(onward);
  });
}
