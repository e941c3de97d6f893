import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { runCli } from './run-cli.ts';

/**
 * Milliseconds in which a repeated signal counts once: a terminal sends Ctrl-C to npm, its script and the service, and
 * the first two forward it.
 */
const ECHO_MS = 1000;

const stop = new AbortController();
let stoppedAt = Number.POSITIVE_INFINITY;
let stoppedBy: 'SIGINT' | 'SIGTERM' | undefined;
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    // A second signal forces the exit.
    if (performance.now() - stoppedAt > ECHO_MS) process.exit(128 + constants.signals[name]);
    stoppedAt = Math.min(stoppedAt, performance.now());
    stoppedBy ??= name;
    stop.abort();
  });
}
// A pipe may close early (`| head`).
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(`winnow: standard output: ${error.message}\n`);
  process.exit(1);
});
// The work continues without a reader of standard error.
process.stderr.on('error', () => undefined);

// A worker thread alone does not keep the process alive.
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
// Flushes the output, then exits despite remaining timers.
for (const stream of [process.stdout, process.stderr]) {
  await new Promise((resolve) => stream.write('', resolve));
}
// Shell convention: 130 after Ctrl-C, 143 after SIGTERM. `serve` exits with 0.
process.exit(exitCode === 1 && stoppedBy ? 128 + constants.signals[stoppedBy] : exitCode);
