/** The seccomp profile of the deployment files, applied as a container runtime does. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';

const PROFILE = path.join(import.meta.dirname, '../../deploy/seccomp.json');
const CHROMIUM = '/usr/lib/chromium/chromium-headless-shell';
const CLONE_NEWNS = 0x2_0000;
const CLONE_NEWUSER = 0x1000_0000;
/** What `clone` may not have in the default profiles of container runtimes. */
const ALL_NAMESPACES = 0x7e02_0000;
const NOBODY = 65_534;

/** Runs a program under a profile, as `nobody` if root starts it. Runtimes compile profiles with the same library. */
const CONFINE = `
import ctypes, json, os, sys
try: lib = ctypes.CDLL('libseccomp.so.2')
except OSError: sys.exit(99)
libc = ctypes.CDLL(None)
profile = json.load(open(sys.argv[1]))
operators = {'SCMP_CMP_NE': 1, 'SCMP_CMP_EQ': 4, 'SCMP_CMP_MASKED_EQ': 7}
class Argument(ctypes.Structure): _fields_ = [('index', ctypes.c_uint), ('operator', ctypes.c_int), ('a', ctypes.c_uint64), ('b', ctypes.c_uint64)]
def action(name, error): return ctypes.c_uint32({'SCMP_ACT_ALLOW': 0x7fff0000, 'SCMP_ACT_ERRNO': 0x50000 | error}[name])
lib.seccomp_init.restype = ctypes.c_void_p
rules = ctypes.c_void_p(lib.seccomp_init(action(profile['defaultAction'], profile['defaultErrnoRet'])))
for entry in profile['syscalls']:
    given = [Argument(one['index'], operators[one['op']], one['value'], one.get('valueTwo', 0)) for one in entry.get('args', [])]
    for name in entry['names']:
        number = lib.seccomp_syscall_resolve_name(name.encode())
        if number < 0: continue
        result = lib.seccomp_rule_add_array(rules, action(entry['action'], entry.get('errnoRet', 1)), number, len(given), (Argument * len(given))(*given))
        assert result == 0, name
assert libc.prctl(38, 1, 0, 0, 0) == 0 and lib.seccomp_load(rules) == 0
if os.getuid() == 0:
    os.setgroups([]); os.setgid(${NOBODY}); os.setuid(${NOBODY})
os.execv(sys.argv[2], sys.argv[2:])
`;

/** Prints the error of each call: 0 when it is allowed. */
const CALLS = `
import ctypes, json, sys
libc = ctypes.CDLL(None, use_errno=True)
def error(call, *arguments): return 0 if getattr(libc, call)(*arguments) >= 0 else ctypes.get_errno()
print(json.dumps({
    'socket': error('socket', 2, 1, 0),
    'socket of virtual machines': error('socket', 40, 1, 0),
    'mount': error('mount', b'none', b'/tmp', b'tmpfs', 0, None),
    'swapoff': error('swapoff', b'/none'),
    'mount namespace': error('unshare', ${CLONE_NEWNS}),
    'user namespace with a mount namespace': error('unshare', ${CLONE_NEWUSER + CLONE_NEWNS}),
    'user namespace': error('unshare', ${CLONE_NEWUSER}),
}))
`;

const folder = mkdtempSync(path.join(tmpdir(), 'winnow-seccomp-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function run(profile: string, program: string, ...args: readonly string[]) {
  return spawnSync('/usr/bin/python3', ['-c', CONFINE, profile, program, ...args], { encoding: 'utf8', cwd: '/' });
}

/** Prints a page that a script has written, without an option that weakens the sandbox. */
function openPage(profile: string) {
  const page = 'data:text/html,<script>document.write(6 * 7)</script>';
  const user = mkdtempSync(path.join(tmpdir(), 'winnow-seccomp-user-'));
  after(() => rmSync(user, { recursive: true, force: true }));
  if (process.getuid?.() === 0) spawnSync('chown', [String(NOBODY), user]);
  return run(profile, CHROMIUM, '--headless', '--disable-gpu', `--user-data-dir=${user}`, '--dump-dom', page);
}

const canConfine = run(PROFILE, '/bin/true').status === 0;
const hasNamespaces = spawnSync('unshare', ['--user', 'true']).status === 0;
const absent = [
  ...(canConfine ? [] : ['python3 and libseccomp2, and a system that lets programs set a filter']),
  ...(hasNamespaces ? [] : ['user namespaces']),
];
const skip = absent.length > 0 ? `needs ${absent.join(', ')}` : false;

// Checks: threat-sandbox
test("Chromium's sandbox starts under the seccomp profile, and not without its rule", (t) => {
  if (skip !== false || !existsSync(CHROMIUM)) return t.skip(skip || "needs Debian's chromium-headless-shell");
  const { stdout, stderr } = openPage(PROFILE);
  assert.match(stdout, /<body>42<\/body>/, stderr);

  const profile = JSON.parse(readFileSync(PROFILE, 'utf8')) as { syscalls: { names: string[] }[] };
  const strict = path.join(folder, 'strict.json');
  const threadsOnly = [{ index: 0, value: ALL_NAMESPACES, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }];
  const syscalls = profile.syscalls.map((entry) =>
    entry.names.includes('unshare') ? { ...entry, names: ['clone'], args: threadsOnly } : entry,
  );
  writeFileSync(strict, JSON.stringify({ ...profile, syscalls }), { mode: 0o644 });
  assert.match(openPage(strict).stderr, /No usable sandbox!|Check failed|Failed to move to new namespace/);
});

// Checks: threat-sandbox
test('the seccomp profile refuses what the sandbox of Chromium does not need', { skip }, () => {
  const { stdout, stderr } = run(PROFILE, '/usr/bin/python3', '-c', CALLS);
  const EPERM = 1;
  assert.deepEqual(
    JSON.parse(stdout),
    {
      socket: 0,
      'socket of virtual machines': EPERM,
      mount: EPERM,
      swapoff: EPERM,
      'mount namespace': EPERM,
      'user namespace with a mount namespace': EPERM,
      'user namespace': 0,
    },
    stderr,
  );
});
