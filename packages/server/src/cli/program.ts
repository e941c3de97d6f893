import { Command } from 'commander';
import { createBackupCommand, createRestoreCommand } from './commands/backup-command.ts';
import { createBatchCommand } from './commands/batch-command.ts';
import { escapeLines } from '../domain/shared/escape-controls.ts';
import type { CliIo } from './support/cli-io.ts';
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

export function createProgram(io: CliIo, version: string): Command {
  const program = new Command('winnow')
    .description('Extracts the content of web pages, as a service or on the command line.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .showSuggestionAfterError(true);
  const commands = [
    createServeCommand(io),
    createExtractCommand(io),
    createDumpCommand(io),
    createBatchCommand(io),
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
  for (const command of commands) program.addCommand(command);
  configureAll(program, 'winnow', io);
  return program;
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
