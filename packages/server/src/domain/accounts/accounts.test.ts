import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import type { TestContext } from 'node:test';
import { openStore } from '../../store/open-store.ts';
import type { Store } from '../../store/open-store.ts';
import { PasswordThreads } from '../../workers/password-threads.ts';
import type { AppError } from '../shared/errors.ts';
import { COMMAND_LINE } from './audit.ts';
import { acceptLink, createResetLink, createSetupLink, findLink, invite } from './links.ts';
import { updateMember } from './members.ts';
import { Passwords } from './passwords.ts';
import type { PasswordDeps, SessionRepository, User } from './ports.ts';
import { makeKey } from '../keys/authenticate.ts';
import {
  createKey,
  createProject,
  listVisibleProjects,
  MAX_KEYS,
  requireProject,
  revokeKey,
  updateProject,
} from './projects.ts';
import type { ProjectDeps } from './projects.ts';
import { findSession } from './sessions.ts';
import { changePassword, signIn, unlockAccount, networkOf, findKnownDevice, issueDeviceToken } from './sign-in.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const PASSWORD = 'a horse that staples';

interface World {
  readonly deps: PasswordDeps;
  readonly projects: ProjectDeps;
  readonly store: Store;
  pass(ms: number): void;
}

const threads = new PasswordThreads({ maxWaitMs: Infinity });
after(() => threads.close());
/** Cheap hashes: only the first test needs the real cost. */
const passwords = new Passwords(threads, { N: 2 ** 10, r: 8, p: 1 });

test('a password matches its own hash in any Unicode form, and no other', async () => {
  const turn = { tenant: 'test', trusted: true };
  const stored = await new Passwords(threads).hash('Größe und Güte', turn);
  assert.match(stored, /^scrypt\$32768\$8\$3\$/);
  assert.equal(await passwords.verify('Größe und Güte'.normalize('NFD'), stored, turn), true);
  assert.equal(await passwords.verify('Groesse und Guete', stored, turn), false);
  assert.equal(await passwords.verify('x', 'no hash at all', turn), false);
  assert.notEqual(await passwords.hash('same words', turn), await passwords.hash('same words', turn));
});

test('the setup link creates one administrator, once, and only while there is none', async (t) => {
  const world = await createWorld(t);
  const older = await createSetupLink(world.deps);
  const link = await createSetupLink(world.deps);
  assert(older && link);
  await assert.rejects(findLink(world.deps, older.token), { code: 'not_found' });
  await assert.rejects(acceptLink(world.deps, { token: link.token, email: undefined, password: PASSWORD }), /email/);
  const both = await Promise.allSettled([
    acceptLink(world.deps, { token: link.token, email: 'a@example.com', password: PASSWORD }),
    acceptLink(world.deps, { token: link.token, email: 'b@example.com', password: PASSWORD }),
  ]);
  assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  assert.equal((await world.deps.users.list()).length, 1);
  assert.equal(await createSetupLink(world.deps), undefined);
});

test('the setup link is invalid once another link has created an administrator', async (t) => {
  const world = await createWorld(t);
  const setup = await createSetupLink(world.deps);
  assert(setup);
  const boss = { email: 'boss@example.com', role: 'admin', projectIds: [] } as const;
  const invitation = await invite(world.deps, COMMAND_LINE, boss);
  const member = await invite(world.deps, COMMAND_LINE, { ...boss, email: 'm@example.com', role: 'member' });
  await acceptLink(world.deps, { token: member.token, email: undefined, password: PASSWORD });
  assert.equal((await findLink(world.deps, setup.token)).kind, 'setup');
  await acceptLink(world.deps, { token: invitation.token, email: undefined, password: PASSWORD });
  const intruder = { token: setup.token, email: 'intruder@example.com', password: PASSWORD };
  await assert.rejects(acceptLink(world.deps, intruder), { code: 'not_found' });
  await assert.rejects(findLink(world.deps, setup.token), { code: 'not_found' });
  assert.equal((await world.deps.users.list()).length, 2);
});

test('links expire', async (t) => {
  const world = await createWorld(t);
  const link = await createSetupLink(world.deps);
  assert(link);
  world.pass(DAY_MS - 1);
  assert.equal((await findLink(world.deps, link.token)).kind, 'setup');
  world.pass(1);
  await assert.rejects(findLink(world.deps, link.token), { code: 'not_found' });
});

test('an invitation is bound to its address and its projects', async (t) => {
  const world = await createWorld(t);
  const admin = await createAdmin(world);
  const [own, other] = [
    await createProject(world.projects, admin, 'Own'),
    await createProject(world.projects, admin, 'Other'),
  ];
  const created = await invite(world.deps, admin, { email: 'Ines@Example.com', role: 'member', projectIds: [own.id] });
  const { token } = created;
  await assert.rejects(acceptLink(world.deps, { token, email: 'mallory@example.com', password: PASSWORD }), {
    code: 'invalid_request',
  });
  const { user } = await acceptLink(world.deps, { token, email: undefined, password: PASSWORD });
  assert.equal(user.role, 'member');
  assert.deepEqual(
    (await listVisibleProjects(world.projects, user)).map(({ id }) => id),
    [own.id],
  );
  assert.equal((await requireProject(world.projects, user, own.id)).name, 'Own');
  await assert.rejects(requireProject(world.projects, user, other.id), { code: 'not_found' });
  await assert.rejects(createProject(world.projects, user, 'Mine'), { code: 'forbidden' });
  await assert.rejects(updateProject(world.projects, user, own.id, { archived: true }), { code: 'forbidden' });
  await assert.rejects(invite(world.deps, admin, { email: 'ines@example.COM', role: 'member', projectIds: [] }), {
    code: 'conflict',
  });
});

test('sign-in ignores the letter case of the address and does not reveal which accounts exist', async (t) => {
  const world = await createWorld(t);
  await createAdmin(world);
  const signedIn = await signIn(world.deps, { email: 'ADMIN@example.com', password: PASSWORD, from: '10.0.0.1' });
  assert.equal((await findSession(world.deps, signedIn.token)).user.email, 'admin@example.com');
  const refusals = await Promise.all(
    ['admin@example.com', 'nobody@example.com'].map((email) =>
      signIn(world.deps, { email, password: 'wrong', from: '10.0.0.1' }).catch((error: Error) => error.message),
    ),
  );
  assert.equal(refusals[0], refusals[1]);
});

// Checks: threat-password-guessing
test('repeated failures lock out only the guesser, for a limited time', async (t) => {
  const world = await createWorld(t);
  await createAdmin(world);
  const attempt = (password: string, from: string) =>
    signIn(world.deps, { email: 'admin@example.com', password, from });
  for (let count = 0; count < 5; count += 1)
    await assert.rejects(attempt('wrong', '10.0.0.1'), { code: 'unauthorized' });
  await assert.rejects(attempt(PASSWORD, '10.0.0.1'), { code: 'rate_limited', retryAfterSeconds: 15 * 60 });
  assert((await attempt(PASSWORD, '10.0.0.2')).token);
  world.pass(15 * MINUTE_MS);
  assert((await attempt(PASSWORD, '10.0.0.1')).token);
});

// Checks: threat-password-guessing
test('concurrent attempts are locked out like successive ones', async (t) => {
  const world = await createWorld(t);
  const admin = await createAdmin(world);
  const outcomes = async (attempts: readonly Promise<unknown>[]): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {};
    for (const settled of await Promise.allSettled(attempts)) {
      const outcome = settled.status === 'fulfilled' ? 'ok' : String((settled.reason as { code?: unknown }).code);
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    }
    return counts;
  };
  const attempt = (password: string, from: string, email = 'admin@example.com') =>
    signIn(world.deps, { email, password, from });
  const guesses = Array.from({ length: 12 }, (_, index) => (index === 11 ? PASSWORD : `wrong ${index}`));
  assert.deepEqual(await outcomes(guesses.map((guess) => attempt(guess, '10.0.0.1'))), {
    unauthorized: 5,
    rate_limited: 7,
  });
  await assert.rejects(attempt(PASSWORD, '10.0.0.1'), { code: 'rate_limited' });
  assert((await attempt(PASSWORD, '10.0.0.2')).token);

  const now = world.deps.now?.() ?? new Date();
  for (let count = 0; count < 27; count += 1) await world.deps.failures.add('from:10.0.0.3', now, new Date(0));
  const many = Array.from({ length: 8 }, (_, index) => attempt('wrong', '10.0.0.3', `user${index}@example.com`));
  assert.deepEqual(await outcomes(many), { unauthorized: 3, rate_limited: 5 });

  const change = { current: 'wrong', next: 'another long one', from: '10.0.0.4' };
  const changes = Array.from({ length: 12 }, () => changePassword(world.deps, admin, change));
  assert.deepEqual(await outcomes(changes), { forbidden: 5, rate_limited: 7 });
});

test('a successful or locked-out attempt does not count as a failure', async (t) => {
  const world = await createWorld(t);
  const admin = await createAdmin(world);
  const attempt = (password: string, email = 'admin@example.com') =>
    signIn(world.deps, { email, password, from: '10.0.0.1' });
  await assert.rejects(attempt('wrong', 'nobody@example.com'), { code: 'unauthorized' });
  const failedAt = world.deps.now?.();
  for (let count = 0; count < 6; count += 1) {
    world.pass(MINUTE_MS);
    assert((await attempt(PASSWORD)).token);
  }
  await changePassword(world.deps, admin, { current: PASSWORD, next: PASSWORD, from: '10.0.0.1' });
  assert.deepEqual(await world.deps.failures.find('from:10.0.0.1'), { count: 1, lastAt: failedAt });
  for (let count = 0; count < 5; count += 1) await assert.rejects(attempt('wrong'), { code: 'unauthorized' });
  for (let count = 0; count < 5; count += 1) {
    world.pass(MINUTE_MS);
    await assert.rejects(attempt(PASSWORD), { code: 'rate_limited' });
  }
  assert.equal((await world.deps.failures.find('from:10.0.0.1'))?.count, 6);
  assert.equal((await world.deps.failures.find('account:admin@example.com'))?.count, 5);
  await assert.rejects(attempt(PASSWORD), { code: 'rate_limited', retryAfterSeconds: 10 * 60 });
});

// Checks: threat-password-guessing
test('many guessers lock the account, and the command line unlocks it', async (t) => {
  const world = await createWorld(t);
  await createAdmin(world);
  const since = new Date(world.deps.now?.().getTime() ?? 0);
  for (let count = 0; count < 50; count += 1) {
    await world.deps.failures.add('account:admin@example.com', since, new Date(0));
  }
  const attempt = () => signIn(world.deps, { email: 'admin@example.com', password: PASSWORD, from: '10.0.0.9' });
  await assert.rejects(attempt(), { code: 'rate_limited' });
  await unlockAccount(world.deps, 'Admin@example.com');
  assert((await attempt()).token);
});

test('sessions end after an idle day, after a week, and on a new password', async (t) => {
  const world = await createWorld(t);
  const admin = await createAdmin(world);
  const start = () => signIn(world.deps, { email: 'admin@example.com', password: PASSWORD, from: '10.0.0.1' });
  const idle = await start();
  world.pass(DAY_MS + 1);
  await assert.rejects(findSession(world.deps, idle.token), { code: 'unauthorized' });

  const used = await start();
  for (let day = 0; day < 7; day += 1) {
    await findSession(world.deps, used.token);
    world.pass(DAY_MS - 1);
  }
  world.pass(7);
  await assert.rejects(findSession(world.deps, used.token), { code: 'unauthorized' });

  const [first, second] = [await start(), await start()];
  const change = { current: PASSWORD, next: 'another long one', from: '10.0.0.1' };
  await assert.rejects(changePassword(world.deps, admin, { ...change, current: 'wrong' }), { code: 'forbidden' });
  const renewed = await changePassword(world.deps, admin, change);
  for (const { token } of [first, second])
    await assert.rejects(findSession(world.deps, token), { code: 'unauthorized' });
  assert.equal((await findSession(world.deps, renewed.token)).user.id, admin.id);
  for (const token of [undefined, '', 'x'.repeat(43)]) {
    await assert.rejects(findSession(world.deps, token), { code: 'unauthorized' });
  }
});

test('a sign-in concurrent with a new password, a reset or a disabling is rejected', async (t) => {
  const world = await createWorld(t);
  const admin = await createAdmin(world);
  const change = { current: PASSWORD, next: 'another long one', from: '10.0.0.1' };
  await assert.rejects(
    signIn(
      overtake(world.deps, () => changePassword(world.deps, admin, change)),
      {
        email: admin.email,
        password: PASSWORD,
        from: '10.0.0.1',
      },
    ),
    { code: 'unauthorized' },
  );
  const reset = await createResetLink(world.deps, COMMAND_LINE, admin);
  const acceptance = { token: reset.token, email: undefined, password: 'fresh and long enough' };
  const second = { email: admin.email, password: change.next, from: '10.0.0.1' };
  await assert.rejects(
    signIn(
      overtake(world.deps, () => acceptLink(world.deps, acceptance)),
      second,
    ),
    {
      code: 'unauthorized',
    },
  );

  const { token } = await invite(world.deps, admin, { email: 'm@example.com', role: 'member', projectIds: [] });
  const { user } = await acceptLink(world.deps, { token, email: undefined, password: PASSWORD });
  const disable = () => updateMember(world.deps, admin, user.id, { disabled: true });
  const third = { email: user.email, password: PASSWORD, from: '10.0.0.1' };
  await assert.rejects(signIn(overtake(world.deps, disable), third), { code: 'unauthorized' });
});

test('a password reset wins over a concurrent change by its owner', async (t) => {
  const world = await createWorld(t);
  const admin = await createAdmin(world);
  const { token } = await createResetLink(world.deps, COMMAND_LINE, admin);
  const reset = await acceptLink(world.deps, { token, email: undefined, password: 'fresh and long enough' });
  // `admin` was read before the reset.
  const change = { current: PASSWORD, next: 'another long one', from: '10.0.0.1' };
  await assert.rejects(changePassword(world.deps, admin, change), { code: 'forbidden' });
  assert.equal((await findSession(world.deps, reset.token)).user.id, admin.id);
});

test('disabling ends all sessions at once, and the last administrator cannot be disabled or demoted', async (t) => {
  const world = await createWorld(t);
  const admin = await createAdmin(world);
  await assert.rejects(updateMember(world.deps, admin, admin.id, { role: 'member' }), { code: 'conflict' });
  await assert.rejects(updateMember(world.deps, admin, admin.id, { disabled: true }), { code: 'conflict' });
  const { token } = await invite(world.deps, admin, { email: 'second@example.com', role: 'admin', projectIds: [] });
  const second = await acceptLink(world.deps, { token, email: undefined, password: PASSWORD });
  await updateMember(world.deps, admin, second.user.id, { disabled: true });
  await assert.rejects(findSession(world.deps, second.token), { code: 'unauthorized' });
  await assert.rejects(signIn(world.deps, { email: 'second@example.com', password: PASSWORD, from: '10.0.0.1' }), {
    code: 'unauthorized',
  });
  await assert.rejects(updateMember(world.deps, admin, admin.id, { disabled: true }), { code: 'conflict' });
  await updateMember(world.deps, admin, second.user.id, { disabled: false });
  const both = await Promise.allSettled(
    [admin.id, second.user.id].map((id) => updateMember(world.deps, admin, id, { role: 'member' })),
  );
  assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
});

test('a reset link changes the password and ends open sessions', async (t) => {
  const world = await createWorld(t);
  const admin = await createAdmin(world);
  const open = await signIn(world.deps, { email: admin.email, password: PASSWORD, from: '10.0.0.1' });
  const { token } = await createResetLink(world.deps, COMMAND_LINE, admin);
  await acceptLink(world.deps, { token, email: undefined, password: 'fresh and long enough' });
  await assert.rejects(findSession(world.deps, open.token), { code: 'unauthorized' });
  await assert.rejects(acceptLink(world.deps, { token, email: undefined, password: PASSWORD }), { code: 'not_found' });
  assert((await signIn(world.deps, { email: admin.email, password: 'fresh and long enough', from: '10.0.0.1' })).token);
});

// Checks: threat-table-growth
test('a project has a limited number of usable keys, and revoked keys do not count', async (t) => {
  const world = await createWorld(t);
  const admin = await createAdmin(world);
  const project = await createProject(world.projects, admin, 'News');
  const fields = { name: 'import', kind: 'project', expiresAt: null, quotaPerMinute: null } as const;
  const keys = Array.from({ length: MAX_KEYS }, () => makeKey({ ...fields, projectId: project.id }).key);
  await Promise.all(keys.map((key) => world.projects.keys.insert(key, key.id)));
  await assert.rejects(createKey(world.projects, admin, project.id, fields), {
    code: 'conflict',
    message: 'the project has 500 keys already: revoke one first',
  });
  await revokeKey(world.projects, admin, project.id, keys[0]?.id ?? '');
  assert((await createKey(world.projects, admin, project.id, fields)).secret);
});

test('two projects never have one name, unless one of them is archived', async (t) => {
  const world = await createWorld(t);
  const { projects } = world;
  const admin = await createAdmin(world);
  const first = await createProject(projects, admin, 'News');
  const taken = { code: 'conflict', message: `name: the project ${first.id} has this name` };
  await assert.rejects(createProject(projects, admin, 'News'), taken);
  const other = await createProject(projects, admin, 'Other');
  await assert.rejects(updateProject(projects, admin, other.id, { name: 'News' }), taken);
  await updateProject(projects, admin, first.id, { name: 'News', archived: true });
  assert.equal((await createProject(projects, admin, 'News')).name, 'News');
});

// Checks: threat-quota
test('members create project keys only, keys are revoked within their project, and all is audited', async (t) => {
  const world = await createWorld(t);
  const admin = await createAdmin(world);
  const project = await createProject(world.projects, admin, 'News');
  const other = await createProject(world.projects, admin, 'Other');
  const { token } = await invite(world.deps, admin, {
    email: 'm@example.com',
    role: 'member',
    projectIds: [project.id],
  });
  const { user } = await acceptLink(world.deps, { token, email: undefined, password: PASSWORD });
  const fields = { name: 'import', expiresAt: null, quotaPerMinute: null } as const;
  await assert.rejects(createKey(world.projects, user, project.id, { ...fields, kind: 'key_only' }), {
    code: 'forbidden',
  });
  await assert.rejects(createKey(world.projects, user, other.id, { ...fields, kind: 'project' }), {
    code: 'not_found',
  });
  const generous = { ...fields, kind: 'project' as const, quotaPerMinute: 11 };
  await assert.rejects(createKey(world.projects, user, project.id, generous, 10), /quota_per_minute: .* at most 10/);
  assert((await createKey(world.projects, user, project.id, { ...generous, quotaPerMinute: 10 }, 10)).secret);
  assert((await createKey(world.projects, admin, project.id, generous, 10)).secret);
  const past = { ...fields, kind: 'project' as const, expiresAt: new Date(0) };
  await assert.rejects(createKey(world.projects, user, project.id, past), /expires_at/);
  const { key, secret } = await createKey(world.projects, user, project.id, { ...fields, kind: 'project' });
  assert(secret.startsWith(key.prefix));
  await assert.rejects(revokeKey(world.projects, admin, other.id, key.id), { code: 'not_found' });
  assert((await revokeKey(world.projects, user, project.id, key.id)).revokedAt);
  await updateProject(world.projects, admin, project.id, { archived: true });
  await assert.rejects(createKey(world.projects, admin, project.id, { ...fields, kind: 'project' }), {
    code: 'conflict',
  });
  assert.equal((await updateProject(world.projects, admin, project.id, { archived: false })).archivedAt, null);

  const { items } = await world.deps.audit.list({});
  const actions = items.map(({ actor, action }) => `${actor} ${action}`);
  assert(actions.includes('m@example.com key.create') && actions.includes('m@example.com key.revoke'));
  assert(!JSON.stringify(items).includes(secret));
  const page = await world.deps.audit.list({ limit: 2 });
  const next = await world.deps.audit.list({ limit: 2, cursor: page.nextCursor ?? '' });
  assert.deepEqual(
    [...page.items, ...next.items].map(({ id }) => id),
    items.slice(0, 4).map(({ id }) => id),
  );
});

test('sign-ins are audited with the address, and guessers cannot fill the audit log', async (t) => {
  const world = await createWorld(t);
  const admin = await createAdmin(world);
  const before = (await world.deps.audit.list({})).items.length;
  const attempt = { email: admin.email.toUpperCase(), password: PASSWORD, from: '192.0.2.7' };
  await signIn(world.deps, attempt);
  await assert.rejects(signIn(world.deps, { ...attempt, password: 'a guess' }), { code: 'unauthorized' });
  await assert.rejects(signIn(world.deps, { ...attempt, email: 'nobody@example.com' }), { code: 'unauthorized' });
  const { items } = await world.deps.audit.list({});
  const added = items.slice(0, items.length - before);
  assert.deepEqual(
    added.map(({ actor, action, target, detail }) => ({ actor, action, target, detail })),
    [{ actor: admin.email, action: 'session.sign-in', target: admin.email, detail: { from: '192.0.2.7' } }],
  );
});

// Checks: threat-password-guessing
test('IPv6 guessers are locked out by /64 in every spelling, and mapped IPv4 addresses as IPv4', async (t) => {
  assert.equal(networkOf('2001:db8::1'), networkOf('2001:0DB8:0:0:ffff::9'));
  assert.notEqual(networkOf('2001:db8::1'), networkOf('2001:db8:0:1::1'));
  assert.equal(networkOf('::ffff:192.0.2.7'), '192.0.2.7');
  assert.notEqual(networkOf('192.0.2.7'), networkOf('192.0.2.8'));

  const world = await createWorld(t);
  await createAdmin(world);
  const attempt = (password: string, from: string) =>
    signIn(world.deps, { email: 'admin@example.com', password, from });
  for (let count = 1; count <= 5; count += 1)
    await assert.rejects(attempt('wrong', `2001:db8::${count}`), { code: 'unauthorized' });
  await assert.rejects(attempt(PASSWORD, '2001:db8::6'), { code: 'rate_limited' });
  assert((await attempt(PASSWORD, '2001:db8:0:1::6')).token);
});

// Checks: threat-lock-out
test('a known device bypasses the locks of other devices and has its own lock', async (t) => {
  const world = await createWorld(t);
  const admin = await createAdmin(world);
  const now = world.deps.now?.() ?? new Date();
  const device = issueDeviceToken(admin, now);
  for (const [key, limit] of Object.entries({
    'account:admin@example.com': 50,
    'account-from:admin@example.com:10.0.0.1': 5,
    'from:10.0.0.1': 30,
  }))
    for (let count = 0; count < limit; count += 1) await world.deps.failures.add(key, now, new Date(0));
  const attempt = (password: string, token?: string) =>
    signIn(world.deps, { email: 'admin@example.com', password, from: '10.0.0.1', device: token });
  await assert.rejects(attempt(PASSWORD), { code: 'rate_limited' });
  const stranger = { ...admin, id: 'usr_other' };
  for (const forged of [issueDeviceToken(stranger, now), `${device}x`, device.replace(/\.\d+\./, '.9999999999999.')])
    await assert.rejects(attempt(PASSWORD, forged), { code: 'rate_limited' });
  assert((await attempt(PASSWORD, device)).token);
  for (let count = 0; count < 5; count += 1) await assert.rejects(attempt('wrong', device), { code: 'unauthorized' });
  await assert.rejects(attempt(PASSWORD, device), { code: 'rate_limited' });
  world.pass(180 * DAY_MS);
  const later = world.deps.now?.() ?? new Date();
  await world.deps.failures.add('account:admin@example.com', later, new Date(0));
  for (let count = 0; count < 49; count += 1)
    await world.deps.failures.add('account:admin@example.com', later, new Date(0));
  await assert.rejects(attempt(PASSWORD, device), { code: 'rate_limited' });
});

// Checks: threat-reset-link
test('a new password invalidates reset links and known devices', async (t) => {
  const world = await createWorld(t);
  const admin = await createAdmin(world);
  const { token } = await createResetLink(world.deps, COMMAND_LINE, admin);
  const now = world.deps.now?.() ?? new Date();
  const device = issueDeviceToken(admin, now);
  const renewed = await changePassword(world.deps, admin, {
    current: PASSWORD,
    next: 'another long one',
    from: '10.0.0.1',
  });
  await assert.rejects(findLink(world.deps, token), { code: 'not_found' });
  assert.equal(findKnownDevice(renewed.user, device, now), undefined);
  assert(findKnownDevice(renewed.user, issueDeviceToken(renewed.user, now), now));
});

// Checks: threat-sign-in-flood
test('a sign-in with a full queue is rejected with 429 and does not count as a failure', async (t) => {
  const world = await createWorld(t);
  await createAdmin(world);
  const small = new PasswordThreads({ maxWaiting: 2, maxWaitMs: Infinity });
  t.after(() => small.close());
  const deps = { ...world.deps, passwords: new Passwords(small) };
  const attempts = await Promise.allSettled(
    Array.from({ length: 8 }, (_, index) =>
      signIn(deps, { email: `user${index}@example.com`, password: 'wrong', from: '10.0.0.1' }),
    ),
  );
  const reasons = attempts.map((one) => (one.status === 'rejected' ? (one.reason as AppError) : undefined));
  const refused = reasons.filter((reason) => reason?.code === 'rate_limited');
  assert.equal(refused.length, 5, 'one is checked and two wait');
  for (const reason of refused) {
    assert.match(reason?.message ?? '', /too many passwords/);
    assert((reason?.retryAfterSeconds ?? 0) >= 1);
  }
  assert.equal((await deps.failures.find('from:10.0.0.1'))?.count, 3);
});

/** Runs an action between the password check and the session. */
function overtake(deps: PasswordDeps, happen: () => Promise<unknown>): PasswordDeps {
  const { sessions } = deps;
  const insert: SessionRepository['insert'] = async (...given) => {
    await happen();
    return sessions.insert(...given);
  };
  return { ...deps, sessions: { insert } as SessionRepository };
}

async function createAdmin(world: World): Promise<User> {
  const link = await createSetupLink(world.deps);
  assert(link);
  const { user } = await acceptLink(world.deps, { token: link.token, email: 'admin@example.com', password: PASSWORD });
  return user;
}

async function createWorld(t: TestContext): Promise<World> {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-accounts-'));
  const store = await openStore({
    location: { sqliteFile: path.join(folder, 'winnow.db') },
    onError: (error) => assert.fail(String(error)),
  });
  t.after(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  let time = Date.UTC(2026, 2, 1);
  const deps: PasswordDeps = { ...store.accounts, passwords, now: () => new Date(time) };
  return {
    deps,
    store,
    projects: { ...deps, projects: store.projects, keys: store.keys },
    pass: (ms) => void (time += ms),
  };
}
