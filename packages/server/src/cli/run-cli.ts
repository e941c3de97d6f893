import { CommanderError, Command } from 'commander';
import { ConfigError } from '../config/config.ts';
import { UnreadableFileError } from '../config/regular-file.ts';
import { AppError } from '../domain/shared/errors.ts';
import { StartError } from '../composition/process/start-error.ts';
import { CommandError, writeLine, writeStack, type CliIo } from './support/cli-io.ts';
import { createBackupCommand, createRestoreCommand } from './commands/backup-command.ts';
import { createBatchCommand } from './commands/batch-command.ts';
import { createCrawlCommand } from './commands/crawl-command.ts';
import { escapeLines } from '../domain/shared/escape-controls.ts';
import { createDoctorCommand } from './commands/doctor-command.ts';
import { createDumpCommand } from './commands/dump-command.ts';
import { createExtractCommand } from './commands/extract-command.ts';
import { createKeysCommand } from './commands/keys-command.ts';
import { createMcpCommand } from './commands/mcp-command.ts';
import { createMigrateStoreCommand } from './commands/migrate-store-command.ts';
import { createProjectsCommand } from './commands/projects-command.ts';
import { createServeCommand } from './commands/serve-command.ts';
import { createTemplatesCommand } from './commands/templates-command.ts';
import { createUsersCommand } from './commands/users-command.ts';

/**
 * Runs a command line (without the program's name); returns the exit code: 0 done, 1 failed, 2 invalid command line or
 * configuration, 3 done with warnings that the caller wants to fail.
 */
export async function runCli(args: readonly string[], io: CliIo, version: string): Promise<number> {
  try {
    await createProgram(io, version).parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    return reportFailure(error, io);
  }
}

function reportFailure(error: unknown, io: CliIo): number {
  // commander has reported the error; its code is 0 for help and version.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof CommandError) {
    writeLine(io.stderr, `winnow: ${error.message}`);
    return error.exitCode;
  }
  // An interrupted command may fail in any way.
  if (io.signal.aborted) {
    writeLine(io.stderr, 'winnow: stopped');
    return 1;
  }
  if (error instanceof ConfigError) {
    writeLine(io.stderr, `winnow: ${error.title}`);
    for (const fault of error.faults) writeLine(io.stderr, `  ${fault}`);
    return 2;
  }
  // System errors about files (permissions, space) concern the user.
  if (error instanceof StartError || error instanceof UnreadableFileError || isSystemError(error)) {
    writeLine(io.stderr, `winnow: ${error.message}`);
    return 1;
  }
  if (error instanceof AppError && error.code !== 'internal') {
    writeLine(io.stderr, `winnow: ${error.code} (${error.stage}): ${error.message}`);
    return 1;
  }
  writeStack(io.stderr, error);
  return 1;
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

function createProgram(io: CliIo, version: string): Command {
  const program = new Command('winnow')
    .description('Extracts the content of web pages, as a service or on the command line.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .showSuggestionAfterError(true);
  const commands = [
    createServeCommand(io),
    createExtractCommand(io),
    createDumpCommand(io),
    createBatchCommand(io),
    createCrawlCommand(io),
    createMcpCommand(io, version),
    createProjectsCommand(io),
    createKeysCommand(io),
    createTemplatesCommand(io),
    createUsersCommand(io),
    createBackupCommand(io),
    createRestoreCommand(io),
    createMigrateStoreCommand(io),
    createDoctorCommand(io),
  ];
  for (const command of [...commands, createHelpCommand(program)]) program.addCommand(command);
  configureAll(program, 'winnow', io);
  return program;
}

/** Unlike commander's own, it also takes the names of a command below another. */
function createHelpCommand(program: Command): Command {
  return new Command('help')
    .description('print the help of a command')
    .argument('[command...]')
    .action((names: readonly string[]) => {
      let command = program;
      for (const [place, name] of names.entries()) {
        const found = command.commands.find((one) => one.name() === name);
        if (found === undefined)
          throw new CommandError(`there is no command ${names.slice(0, place + 1).join(' ')}`, { exitCode: 2 });
        command = found;
      }
      command.outputHelp();
    });
}

function configureAll(command: Command, path: string, io: CliIo): void {
  configure(command, path, io);
  for (const child of command.commands) configureAll(child, `${path} ${child.name()}`, io);
}

/** Throws errors instead of exiting; writes to the given streams. */
function configure(command: Command, path: string, io: CliIo): void {
  command
    .helpOption('-h, --help', 'print this help')
    .showHelpAfterError(`(${path} --help has more)`)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(escapeLines(text)),
    });
}
