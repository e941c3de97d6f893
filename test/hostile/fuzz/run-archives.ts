/** Runs the command `batch` on each archive that the parent process names, and sends back its exit code and outputs. */
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCli } from '../../../packages/server/src/cli/run-cli.ts';

process.on('message', (input: string) => void run(input));
process.send?.('ready');

async function run(input: string): Promise<void> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const outputs = Promise.all([text(stdout), text(stderr)]);
  const { NODE_OPTIONS: _options, LOOP_PROBE: _probe, ...environment } = process.env;
  const code = await runCli(
    ['batch', '--input', input, '--output', '-', '--threads', '1', '--format', 'markdown'],
    { stdin: Readable.from([]), stdout, stderr, environment, signal: new AbortController().signal },
    '0.0.0',
  );
  stdout.end();
  stderr.end();
  const [out, err] = await outputs;
  process.send?.({ code, out, err });
}
