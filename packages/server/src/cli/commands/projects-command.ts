import { Command } from 'commander';
import { usedBytes } from '../../domain/storage/project-quota.ts';
import { readConfig } from '../../config/config.ts';
import { COMMAND_LINE } from '../../domain/accounts/audit.ts';
import { addProject } from '../../domain/accounts/projects.ts';
import { presentProject } from '../../http/admin/present-admin.ts';
import { writeJson, writeLine, writeTable, type CliIo, type JsonFlag } from '../support/cli-io.ts';
import { withStore } from '../support/open-command-store.ts';
import { parseFlag, parseName } from '../support/flags.ts';

export function createProjectsCommand(io: CliIo): Command {
  const create = new Command('create')
    .description('Create a project. Its keys and snapshots are invisible to other projects.')
    .argument('<name>', 'name for people', parseFlag(parseName))
    .option('--json', 'print JSON')
    .action((name: string, flags: JsonFlag) => createProject(io, name, flags));
  const list = new Command('list')
    .description('List all projects, with the storage of their snapshots and batches.')
    .option('--json', 'print JSON')
    .action((flags: JsonFlag) => listProjects(io, flags));
  return new Command('projects')
    .summary('create and list projects')
    .description('Create and list projects; also while the service runs.')
    .addCommand(create)
    .addCommand(list);
}

async function createProject(io: CliIo, name: string, flags: JsonFlag): Promise<void> {
  const project = await withStore(readConfig(io.environment), ({ projects, accounts: { audit } }) =>
    addProject({ projects, audit }, COMMAND_LINE, name),
  );
  if (flags.json) writeJson(io.stdout, presentProject(project));
  else writeLine(io.stdout, project.id);
}

async function listProjects(io: CliIo, flags: JsonFlag): Promise<void> {
  const [projects, usage] = await withStore(readConfig(io.environment), (store) =>
    Promise.all([store.projects.list(), store.usage.list()]),
  );
  const storedBytes = new Map(usage.map((one) => [one.projectId, usedBytes(one)]));
  if (flags.json) {
    const items = projects.map((one) => ({ ...presentProject(one), stored_bytes: storedBytes.get(one.id) ?? 0 }));
    return writeJson(io.stdout, items);
  }
  if (projects.length === 0) return writeLine(io.stderr, 'there are no projects');
  const rows = projects.map(({ id, name, createdAt, archivedAt }) => [
    id,
    createdAt.toISOString(),
    archivedAt === null ? 'active' : 'archived',
    `${((storedBytes.get(id) ?? 0) / 2 ** 20).toFixed(1)} MiB`,
    name,
  ]);
  writeTable(io.stdout, ['ID', 'CREATED', 'STATE', 'STORED', 'NAME'], rows);
}
