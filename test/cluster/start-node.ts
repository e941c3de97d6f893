import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { startServiceProcess } from '../support/service-process.ts';
import type { ServiceProcess } from '../support/service-process.ts';

/** One node of a deployment. */
export interface Node extends ServiceProcess {
  readonly name: string;
}

/** Starts a node whose data folder has its name. */
export async function startNode(
  name: string,
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<Node> {
  const dataDir = path.join(folder, name);
  await mkdir(dataDir, { recursive: true });
  const service = await startServiceProcess({
    dataDir,
    environment: { WINNOW_LOG_LEVEL: 'fatal', WINNOW_WORKER_THREADS: '1', ...environment },
    onLine: (line) => process.stderr.write(`${name}: ${line}\n`),
  });
  return { name, ...service };
}
