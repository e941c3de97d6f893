import { isIPv6 } from 'node:net';
import { ROLES, type Role } from '@winnow/contract';
import { Command } from 'commander';
import { readConfig, resolveDataDir, type Config } from '../../config/config.ts';
import { COMMAND_LINE } from '../../domain/accounts/audit.ts';
import { createResetLink, invite, oneTimeLinkUrl, type CreatedLink } from '../../domain/accounts/links.ts';
import { updateMember } from '../../domain/accounts/members.ts';
import type { User } from '../../domain/accounts/ports.ts';
import { unlockAccount } from '../../domain/accounts/sign-in.ts';
import { presentMember } from '../../http/admin/present-admin.ts';
import { readAddress } from '../../store/data-folder-lock.ts';
import type { Store } from '../../store/open-store.ts';
import { CommandError, writeJson, writeLine, writeTable, type CliIo, type JsonFlag } from '../support/cli-io.ts';
import { withStore, requireNamedProject } from '../support/open-command-store.ts';

interface CreateFlags extends JsonFlag {
  readonly role: string;
  readonly project: readonly string[];
}

export function createUsersCommand(io: CliIo): Command {
  const users = new Command('users')
    .summary('manage console accounts')
    .description('Manage console accounts; also while the service runs.');
  users
    .command('list')
    .description('List all accounts.')
    .option('--json', 'print JSON')
    .action((flags: JsonFlag) => listUsers(io, flags));
  const onAccount = (name: string, description: string): Command =>
    users.command(name).description(description).argument('<email>', 'address of the account');
  onAccount('create', 'Print a one-time link for creating an account.')
    .option('--role <role>', `one of ${ROLES.join(', ')}`, 'member')
    .option('-p, --project <project...>', 'projects that a member may see: ids or names', [])
    .option('--json', 'print JSON')
    .action((email: string, flags: CreateFlags) => createUser(io, email, flags));
  onAccount('reset-password', 'Print a one-time link for a new password, and unlock the account.')
    .option('--json', 'print JSON')
    .action((email: string, flags: JsonFlag) => resetPassword(io, email, flags));
  onAccount('set-role', 'Change the role of an account.')
    .argument('<role>', `one of ${ROLES.join(', ')}`)
    .action((email: string, role: string) => change(io, email, { role: readRole(role) }, `is ${role} now`));
  onAccount('disable', 'Disable an account and end its sessions.').action((email: string) =>
    change(io, email, { disabled: true }, 'is disabled'),
  );
  onAccount('enable', 'Enable a disabled account.').action((email: string) =>
    change(io, email, { disabled: false }, 'is enabled'),
  );
  return users;
}

async function listUsers(io: CliIo, flags: JsonFlag): Promise<void> {
  const users = await withStore(readConfig(io.environment), async ({ accounts }) => {
    const found = await accounts.users.list();
    return Promise.all(found.map(async (user) => ({ user, projectIds: await accounts.users.listProjectIds(user.id) })));
  });
  if (flags.json)
    return writeJson(
      io.stdout,
      users.map(({ user, projectIds }) => presentMember(user, projectIds)),
    );
  if (users.length === 0) return writeLine(io.stderr, 'there are no accounts (the first start prints a link)');
  const rows = users.map(({ user, projectIds }) => [
    user.email,
    user.role,
    user.disabledAt === null ? 'active' : 'disabled',
    user.lastSeenAt?.toISOString() ?? 'never',
    user.role === 'admin' ? 'all' : projectIds.join(' ') || 'none',
  ]);
  writeTable(io.stdout, ['E-MAIL', 'ROLE', 'STATE', 'LAST SEEN', 'PROJECTS'], rows);
}

async function createUser(io: CliIo, email: string, flags: CreateFlags): Promise<void> {
  if (!/^[^\s@]+@[^\s@]+$/.test(email))
    throw new CommandError(`not an e-mail address: ${email.slice(0, 80)}`, { exitCode: 2 });
  const role = readRole(flags.role);
  const config = readConfig(io.environment);
  const created = await withStore(config, async (store) => {
    const projects = await Promise.all(flags.project.map((name) => requireNamedProject(store, name)));
    return invite(store.accounts, COMMAND_LINE, { email, role, projectIds: projects.map(({ id }) => id) });
  });
  printLink(io, config, created, flags);
}

async function resetPassword(io: CliIo, email: string, flags: JsonFlag): Promise<void> {
  const config = readConfig(io.environment);
  const created = await withStore(config, async (store) => {
    const user = await requireAccount(store, email);
    if (user.disabledAt !== null) throw new CommandError(`${user.email} is disabled (winnow users enable)`);
    await unlockAccount(store.accounts, user.email);
    return createResetLink(store.accounts, COMMAND_LINE, user);
  });
  printLink(io, config, created, flags);
}

async function change(
  io: CliIo,
  email: string,
  changes: Parameters<typeof updateMember>[3],
  outcome: string,
): Promise<void> {
  await withStore(readConfig(io.environment), async (store) => {
    const user = await requireAccount(store, email);
    await updateMember(store.accounts, COMMAND_LINE, user.id, changes);
  });
  writeLine(io.stdout, `${email} ${outcome}`);
}

async function requireAccount(store: Store, email: string): Promise<User> {
  const user = await store.accounts.users.findByEmail(email.trim());
  if (!user) throw new CommandError(`there is no account with the address ${email.slice(0, 80)} (winnow users list)`);
  return user;
}

function readRole(text: string): Role {
  const role = ROLES.find((one) => one === text);
  if (role === undefined) throw new CommandError(`the role must be one of ${ROLES.join(', ')}`, { exitCode: 2 });
  return role;
}

/** Only the link on standard output, for scripts. */
function printLink(io: CliIo, config: Config, { link, token }: CreatedLink, flags: JsonFlag): void {
  const base =
    config.baseUrl ?? readAddress(resolveDataDir(config)) ?? `http://${reachableHost(config.host)}:${config.port}`;
  const url = oneTimeLinkUrl(config.consoleUrl ?? `${base.replace(/(?<!\/)\/+$/, '')}/console`, token);
  const expires = link.expiresAt.toISOString();
  if (flags.json) return writeJson(io.stdout, { url, email: link.email, role: link.role, expires_at: expires });
  writeLine(io.stdout, url);
  writeLine(io.stderr, `the link works once, until ${expires}`);
}

/** Returns the URL host under which this machine reaches a service that listens on `host`. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return isIPv6(host) ? `[${host}]` : host;
}
