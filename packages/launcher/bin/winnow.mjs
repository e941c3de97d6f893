#!/usr/bin/env node
/**
 * The command line from an installed package. Runs the program in a child process, because glibc and V8 read the limits
 * below only at the start of a process.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const LEAST_NODE = 24;

const [major] = process.versions.node.split('.').map(Number);
if (major < LEAST_NODE) {
  process.stderr.write(`winnow: Node.js ${LEAST_NODE} or later is needed; this is ${process.versions.node}\n`);
  process.exit(1);
}

const program = fileURLToPath(new URL('../packages/server/src/cli/winnow.js', import.meta.url));
const args = process.argv.slice(2);
// docs/operations.md has the measured effect of these limits.
const flags = args[0] === 'serve' ? ['--max-semi-space-size=8'] : [];
const child = spawn(process.execPath, [...flags, program, ...args], {
  stdio: 'inherit',
  env: { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1048576', ...process.env },
});
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  process.stderr.write(`winnow: the program could not be started: ${error.message}\n`);
  process.exitCode = 1;
});
child.on('exit', (code, signal) => {
  if (signal === null) process.exitCode = code ?? 1;
  else process.kill(process.pid, signal);
});
