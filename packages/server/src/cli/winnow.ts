/** The program `winnow`. */
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { runCli } from './run-cli.ts';

/**
 * Milliseconds in which a signal that comes again is the same one: a terminal sends Ctrl-C to each of npm, the script of
 * `npm start` and the service, and the first two pass on what they get.
 */
const ECHO_MS = 1000;

const stop = new AbortController();
let stoppedAt = Number.POSITIVE_INFINITY;
let stoppedBy: 'SIGINT' | 'SIGTERM' | undefined;
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    // The second one means it.
    if (performance.now() - stoppedAt > ECHO_MS) process.exit(128 + constants.signals[name]);
    stoppedAt = Math.min(stoppedAt, performance.now());
    stoppedBy ??= name;
    stop.abort();
  });
}
// Whoever reads our output may have had enough (`| head`).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`winnow: standard output: ${error.message}\n`);
  process.exit(1);
});
// What is said beside the work may have no reader: the work goes on.
process.stderr.on('error', () => undefined);

// A command may wait for a thread alone, which does not keep the process alive.
setInterval(() => undefined, 2 ** 30);

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const exitCode = await runCli(
  process.argv.slice(2),
  {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    environment: process.env,
    signal: stop.signal,
  },
  version,
);
// What was written reaches its reader, then the process ends, whatever timer of a library may still be waiting.
for (const stream of [process.stdout, process.stderr]) {
  await new Promise((resolve) => stream.write('', resolve));
}
// By convention of shells: 130 after Ctrl-C, 143 after SIGTERM. `serve` stops cleanly and exits with 0.
process.exit(exitCode === 1 && stoppedBy ? 128 + constants.signals[stoppedBy] : exitCode);
