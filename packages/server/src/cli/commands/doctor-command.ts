import { Command } from 'commander';
import { readConfig } from '../../config/config.ts';
import { closing } from '../../domain/shared/closing.ts';
import { CommandError, writeJson, writeLine, type CliIo, type JsonFlag } from '../support/cli-io.ts';
import { joinFaults, runCheck, type CheckReport } from '../../composition/self-test/check.ts';

export function createDoctorCommand(io: CliIo): Command {
  return new Command('doctor')
    .summary('check that everything works on this machine')
    .description(
      `Checks what the service needs on this machine: Node.js, the configuration, the data folder, the database, the workers, and each engine by a real capture of a page that the doctor serves itself. It may run while the service runs. The exit code is 1 when anything fails.`,
    )
    .option('--json', 'print JSON')
    .action((flags: JsonFlag) => examine(io, flags));
}

async function examine(io: CliIo, flags: JsonFlag): Promise<void> {
  const config = readConfig(io.environment);
  // Loaded only for this command.
  const { openLocalEngines } = await import('../support/open-local-engines.ts');
  const { openEngineTrial } = await import('../doctor/engine-checks.ts');
  const { createMachineChecks } = await import('../doctor/machine-checks.ts');
  await using engines = closing(openLocalEngines(config, io.signal));
  await using trial = closing(await openEngineTrial(config, io.signal));
  const reports: CheckReport[] = [];
  let printed = 0;
  for (const check of [...createMachineChecks(config, engines), ...trial.checks]) {
    if (io.signal.aborted) throw new CommandError('stopped');
    reports.push(await runCheck(check));
    // A fault may still be joined with the next one.
    const joined = joinFaults(reports);
    const complete = joined.at(-1)?.ok === true ? joined.length : joined.length - 1;
    if (!flags.json) for (const one of joined.slice(printed, complete)) print(io, one);
    printed = Math.max(printed, complete);
  }
  if (!flags.json) for (const one of joinFaults(reports).slice(printed)) print(io, one);
  const failed = reports.filter((report) => !report.ok);
  if (flags.json)
    writeJson(io.stdout, {
      ok: failed.length === 0,
      checks: reports.map(({ elapsedMs, ...report }) => ({ ...report, elapsed_ms: elapsedMs })),
    });
  if (failed.length > 0) throw new CommandError(`${failed.length} of ${reports.length} checks failed`);
  if (!flags.json)
    writeLine(io.stdout, reports.some(({ warning }) => warning) ? WORKS_WITH_WARNINGS : 'everything works');
}

const WORKS_WITH_WARNINGS = 'everything works; see the warnings above';

function print(io: CliIo, report: CheckReport): void {
  writeLine(io.stdout, `${verdictOf(report)}  ${report.name}: ${report.detail}`);
  if (report.advice !== null) writeLine(io.stdout, `        → ${report.advice}`);
}

function verdictOf({ ok, warning }: CheckReport): string {
  if (!ok) return 'FAILED';
  return warning ? 'WARN  ' : 'ok    ';
}
