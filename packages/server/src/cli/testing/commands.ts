import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { runCli } from '../run-cli.ts';

export const ARTICLE = `<!doctype html><html lang="en"><head><title>The valley</title></head><body><main><article><h1>The valley</h1>
<p>${'Spring comes late to the valley, and the river carries the snow of the mountains down. '.repeat(5)}</p>
<p>${'Anyone who walks up the old road before noon meets nobody but the shepherd and his dogs. '.repeat(5)}</p>
</article></main><script>var dropped = 1;</script></body></html>`;

export const HOSTILE_PAGE = '<!doctype html><title>x</title><p>\u001B[2J\u009B2J\u202E\n<p>Text';

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A folder for files and data, and a site whose pages are the article, but `/gone` (404) and `/hostile`. */
export interface Commands {
  readonly siteUrl: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The path of a file in the folder. */
  readonly file: (name: string) => string;
  readonly run: (
    args: readonly string[],
    stdin?: string | Buffer,
    signal?: AbortSignal,
    settings?: Record<string, string>,
  ) => Promise<Outcome>;
  readonly readJsonLines: (name: string) => Promise<Record<string, unknown>[]>;
  readonly close: () => Promise<void>;
}

export async function openCommands(): Promise<Commands> {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-cli-'));
  const site = createServer((request, response) => {
    response
      .writeHead(request.url === '/gone' ? 404 : 200, { 'Content-Type': 'text/html; charset=utf-8' })
      .end(request.url === '/hostile' ? HOSTILE_PAGE : ARTICLE);
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  const siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const file = (name: string): string => path.join(folder, name);
  const environment = {
    WINNOW_DATA_DIR: file('data'),
    WINNOW_EGRESS_ALLOW: new URL(siteUrl).host,
    WINNOW_KEEP_WARM: '0s',
    // Every process finds the modules compiled by the process before it.
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? file('compiled'),
  };
  return {
    siteUrl,
    environment,
    file,
    async run(args, stdin = '', signal = new AbortController().signal, settings = {}) {
      const [stdout, stderr] = [new PassThrough(), new PassThrough()];
      const output = Promise.all([text(stdout), text(stderr)]);
      const io = {
        stdin: Readable.from([Buffer.from(stdin)]),
        stdout,
        stderr,
        environment: { ...environment, ...settings },
        signal,
      };
      const code = await runCli(args, io, '1.2.3');
      stdout.end();
      stderr.end();
      const [out, err] = await output;
      return { code, out, err };
    },
    async readJsonLines(name) {
      const bytes = await readFile(file(name));
      const lines = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().trimEnd().split('\n');
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    async close() {
      site.closeAllConnections();
      site.close();
      await rm(folder, { recursive: true });
    },
  };
}
