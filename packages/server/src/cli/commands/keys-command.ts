import { Command } from 'commander';
import { readConfig } from '../../config/config.ts';
import { duration, integer } from '../../config/config-parsers.ts';
import { COMMAND_LINE } from '../../domain/accounts/audit.ts';
import { addKey, endKey } from '../../domain/accounts/projects.ts';
import type { ApiKey } from '../../domain/keys/key-ports.ts';
import { presentKey } from '../../http/admin/present-admin.ts';
import { CommandError, writeJson, writeLine, writeTable, type CliIo, type JsonFlag } from '../support/cli-io.ts';
import { withStore, requireNamedProject } from '../support/open-command-store.ts';
import { parseFlag, parseName } from '../support/flags.ts';

interface CreateFlags extends JsonFlag {
  readonly project: string;
  readonly standalone?: true;
  readonly expires?: number;
  readonly name: string;
  readonly quota?: number;
}

interface ListFlags extends JsonFlag {
  readonly project?: string;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const LONGEST_MS = 3650 * DAY_MS;

export function createKeysCommand(io: CliIo): Command {
  const create = new Command('create')
    .description('Create a key and print it once: only its hash is stored.')
    .requiredOption('-p, --project <project>', 'project that the key belongs to: id or name')
    .option('--standalone', 'a standalone key, which needs no X-Project-Id header; without: a project key')
    .option(
      '--expires <time>',
      'time until it expires, such as 12h or 7d; default: never',
      parseFlag(duration(1000, LONGEST_MS)),
    )
    .option('--quota <count>', 'requests a minute; default: the quota of the service', parseFlag(integer(1, 1_000_000)))
    .option('--name <name>', 'name for people', parseFlag(parseName), 'command line')
    .option('--json', 'print JSON')
    .action((flags: CreateFlags) => createKey(io, flags));
  const list = new Command('list')
    .description('List keys, without their secret part.')
    .option('-p, --project <project>', 'only keys of one project: id or name')
    .option('--json', 'print JSON')
    .action((flags: ListFlags) => listKeys(io, flags));
  const revoke = new Command('revoke')
    .description('Revoke a key: it is refused from the next request on.')
    .argument('<key>', 'id of the key, or its visible start (PREFIX in the list)')
    .option('--json', 'print JSON')
    .action((key: string, flags: JsonFlag) => revokeKey(io, key, flags));
  return new Command('keys')
    .summary('create, list and revoke API keys')
    .description('Create, list and revoke API keys; also while the service runs.')
    .addCommand(create)
    .addCommand(list)
    .addCommand(revoke);
}

async function createKey(io: CliIo, flags: CreateFlags): Promise<void> {
  const { key, secret } = await withStore(readConfig(io.environment), async (store) => {
    const project = await requireNamedProject(store, flags.project);
    return addKey({ keys: store.keys, audit: store.accounts.audit }, COMMAND_LINE, project, {
      name: flags.name,
      kind: flags.standalone ? 'key_only' : 'project',
      expiresAt: flags.expires === undefined ? null : new Date(Date.now() + flags.expires),
      quotaPerMinute: flags.quota ?? null,
    });
  });
  if (flags.json) return writeJson(io.stdout, { ...presentKey(key), key: secret });
  // Only the key on standard output, for scripts: KEY=$(winnow keys create …).
  writeLine(io.stdout, secret);
  writeLine(io.stderr, `${key.id}, project ${key.projectId}, ${describeExpiry(key)}; the key is shown only now`);
}

async function listKeys(io: CliIo, flags: ListFlags): Promise<void> {
  const keys = await withStore(readConfig(io.environment), async (store) => {
    const project = flags.project === undefined ? undefined : await requireNamedProject(store, flags.project);
    return store.keys.list(project?.id);
  });
  if (flags.json) return writeJson(io.stdout, keys.map(presentKey));
  if (keys.length === 0) return writeLine(io.stderr, 'there are no keys');
  const rows = keys.map((key) => [
    key.id,
    `${key.prefix}…`,
    key.kind === 'project' ? 'project' : 'standalone',
    key.projectId,
    stateOf(key),
    key.lastUsedAt?.toISOString() ?? 'never',
    key.name,
  ]);
  writeTable(io.stdout, ['ID', 'PREFIX', 'KIND', 'PROJECT', 'STATE', 'LAST USED', 'NAME'], rows);
}

async function revokeKey(io: CliIo, name: string, flags: JsonFlag): Promise<void> {
  const key = await withStore(readConfig(io.environment), async (store) => {
    const found = (await store.keys.list()).filter((one) => one.id === name || one.prefix === name.replace(/…$/, ''));
    const [only] = found;
    if (only === undefined) throw new CommandError(`there is no key ${name.slice(0, 40)}`);
    if (found.length > 1) throw new CommandError(`several keys begin with ${only.prefix}: give the id`);
    return endKey({ keys: store.keys, audit: store.accounts.audit }, COMMAND_LINE, only);
  });
  if (flags.json) return writeJson(io.stdout, presentKey(key));
  writeLine(io.stdout, `revoked ${key.id} (${key.prefix}…)`);
}

function stateOf(key: ApiKey): string {
  if (key.revokedAt !== null) return 'revoked';
  if (key.expiresAt !== null && key.expiresAt <= new Date()) return 'expired';
  return key.expiresAt === null ? 'active' : describeExpiry(key);
}

function describeExpiry(key: ApiKey): string {
  return key.expiresAt === null ? 'never expires' : `expires ${key.expiresAt.toISOString()}`;
}
