import { ID_PREFIXES } from '@winnow/contract';
import { Command } from 'commander';
import { readConfig } from '../config.ts';
import { COMMAND_LINE, recordAudit } from '../domain/accounts/audit.ts';
import { newId } from '../domain/new-id.ts';
import type { Project } from '../domain/ports.ts';
import { CommandError, writeJson, writeLine } from './cli-io.ts';
import type { CliIo } from './cli-io.ts';
import { formatTable } from './format-table.ts';
import { withStore } from './open-command-store.ts';

interface JsonFlag {
  readonly json?: true;
}

const MAX_NAME_LENGTH = 200;

export function createProjectsCommand(io: CliIo): Command {
  const create = new Command('create')
    .description('Create a project. It holds keys and snapshots; no project sees those of another.')
    .argument('<name>', 'name for people')
    .option('--json', 'print JSON')
    .action((name: string, flags: JsonFlag) => createProject(io, name, flags));
  const list = new Command('list')
    .description('List all projects.')
    .option('--json', 'print JSON')
    .action((flags: JsonFlag) => listProjects(io, flags));
  return new Command('projects')
    .summary('create and list projects')
    .description('Create and list projects; also while the service runs.')
    .addCommand(create)
    .addCommand(list);
}

async function createProject(io: CliIo, givenName: string, flags: JsonFlag): Promise<void> {
  const name = givenName.trim();
  if (name === '' || name.length > MAX_NAME_LENGTH) {
    throw new CommandError(`the name must have 1 to ${MAX_NAME_LENGTH} characters`, { exitCode: 2 });
  }
  const project: Project = { id: newId(ID_PREFIXES.project), name, createdAt: new Date(), archivedAt: null };
  await withStore(readConfig(io.environment), async (store) => {
    await store.projects.insert(project);
    await recordAudit(store.accounts, COMMAND_LINE, { action: 'project.create', projectId: project.id, target: name });
  });
  if (flags.json) writeJson(io.stdout, present(project));
  else writeLine(io.stdout, project.id);
}

async function listProjects(io: CliIo, flags: JsonFlag): Promise<void> {
  const projects = await withStore(readConfig(io.environment), (store) => store.projects.list());
  if (flags.json) return writeJson(io.stdout, projects.map(present));
  if (projects.length === 0) return writeLine(io.stderr, 'there are no projects');
  const rows = projects.map(({ id, name, createdAt, archivedAt }) => [
    id,
    createdAt.toISOString(),
    archivedAt === null ? 'active' : 'archived',
    name,
  ]);
  writeLine(io.stdout, formatTable(['ID', 'CREATED', 'STATE', 'NAME'], rows));
}

function present(project: Project): object {
  return {
    id: project.id,
    name: project.name,
    created_at: project.createdAt.toISOString(),
    archived_at: project.archivedAt?.toISOString() ?? null,
  };
}
