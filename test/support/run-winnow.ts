import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCli } from '../../packages/server/src/cli/run-cli.ts';

export interface Done {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command line on a data folder, in this process; returns its exit code and output. */
export async function runWinnow(dataDir: string, args: readonly string[]): Promise<Done> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const output = Promise.all([text(stdout), text(stderr)]);
  const environment = { WINNOW_DATA_DIR: dataDir };
  const io = { stdin: Readable.from([]), stdout, stderr, environment, signal: new AbortController().signal };
  const code = await runCli(args, io, '0.0.0');
  stdout.end();
  stderr.end();
  const [out, err] = await output;
  return { code, out, err };
}
