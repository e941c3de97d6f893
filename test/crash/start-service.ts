import { startServiceProcess } from '../support/service-process.ts';
import type { ServiceProcess } from '../support/service-process.ts';

export interface RunningService extends ServiceProcess {
  /** True once the signal has been sent. */
  isKilled(): boolean;
}

/** Starts a service that remembers whether it was killed. */
export async function startService({ dataDir, allow }: { dataDir: string; allow: string }): Promise<RunningService> {
  const service = await startServiceProcess({
    dataDir,
    environment: { WINNOW_EGRESS_ALLOW: allow, WINNOW_LOG_LEVEL: 'error' },
    onLine: (line) => process.stderr.write(`${line}\n`),
  });
  let killed = false;
  return {
    ...service,
    isKilled: () => killed,
    kill: () => {
      killed = true;
      return service.kill();
    },
  };
}
