/**
 * `npm start`: the set-up, then the service on the pinned Node. Forwards signals to the service and exits with its code.
 */
import { spawn, spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const setup = spawnSync(process.execPath, [join(root, 'scripts', 'setup.mjs')], { stdio: ['ignore', 2, 2] });
if (setup.status !== 0) process.exit(setup.status ?? 1);

const service = spawn(join(root, 'winnow'), ['serve', ...process.argv.slice(2)], { stdio: 'inherit' });

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
  process.on(signal, () => service.kill(signal));
}
service.on('error', (error) => {
  process.stderr.write(`start: the service could not be started: ${error.message}\n`);
  process.exitCode = 1;
});
service.on('exit', (code, signal) => {
  process.exitCode = code ?? (signal === null ? 1 : 128);
});
