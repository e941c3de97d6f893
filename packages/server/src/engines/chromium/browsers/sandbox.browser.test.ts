/** Systems that deny Chromium's sandbox. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

/** A user that owns no files. */
const NOBODY = 65_534;

/**
 * Runs a program under a seccomp filter that denies calls by EPERM: those of a number, or `clone` with CLONE_NEWUSER.
 * clone3, whose flags a filter cannot read, is unknown (ENOSYS), as in containers.
 */
const CONFINE = `
import ctypes, os, struct, sys
libc = ctypes.CDLL(None)
calls = {'x86_64': dict(clone=56, unshare=272, chroot=161), 'aarch64': dict(clone=220, unshare=97, chroot=51)}[os.uname().machine]
def step(code, yes, no, value): return struct.pack('HBBI', code, yes, no, value)
def deny(call, error=1): return [step(0x15, 0, 1, call), step(6, 0, 0, 0x50000 | error)]
steps = [step(0x20, 0, 0, 0)]
if sys.argv[1] == 'namespaces':
    steps += deny(calls['unshare']) + deny(435, 38)
    steps += [step(0x15, 0, 3, calls['clone']), step(0x20, 0, 0, 16), step(0x45, 0, 1, 0x10000000), step(6, 0, 0, 0x50001)]
else:
    steps += deny(calls[sys.argv[1]])
steps += [step(6, 0, 0, 0x7fff0000)]
code = ctypes.create_string_buffer(b''.join(steps))
class Program(ctypes.Structure): _fields_ = [('length', ctypes.c_ushort), ('steps', ctypes.c_void_p)]
program = Program(len(steps), ctypes.cast(code, ctypes.c_void_p))
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.byref(program), 0, 0) == 0
if os.getuid() == 0:
    os.setgroups([]); os.setgid(${NOBODY}); os.setuid(${NOBODY})
os.execv(sys.argv[2], sys.argv[2:])
`;

const confine = (calls: string): readonly string[] => ['python3', '-c', CONFINE, calls];

/** A namespace in which no further user namespace may be made, as a setting of the system can demand. */
const WITHOUT_NAMESPACES = [
  ...'unshare --user --map-user=1000 --map-group=1000 --keep-caps sh -c'.split(' '),
  'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"',
  'sh',
];

/** Starts a browser by our code; prints "started", or the failure as JSON. */
function launch(wrapper: readonly string[], isSandboxOff: boolean): { out: string; canRun: boolean } {
  const script = `
    const { launchBrowser, isSandboxFailure } = await import(${JSON.stringify(new URL('launch-browser.ts', import.meta.url).href)});
    const { BROWSER_CANDIDATES } = await import(${JSON.stringify(new URL('browser-flags.ts', import.meta.url).href)});
    const options = { executables: BROWSER_CANDIDATES, userAgent: 'x', acceptLanguage: 'en', extraArgs: [], withPort: false };
    try {
      await (await launchBrowser({ ...options, isSandboxOff: ${isSandboxOff} })).close();
      console.log('started');
    } catch (error) {
      console.log(JSON.stringify({ message: error.message, isSandbox: isSandboxFailure(error) }));
    }`;
  const [program = '', ...args] = wrapper;
  const environment = { PATH: process.env['PATH'], TMPDIR: '/tmp' };
  const run = (...more: readonly string[]) =>
    spawnSync(program, [...args, process.execPath, ...more], { encoding: 'utf8', env: environment });
  const canRun = run('-e', '').status === 0;
  return { out: canRun ? run('--input-type=module', '-e', script).stdout.trim() : '', canRun };
}

for (const [name, wrapper, words] of [
  ['no user namespaces', WITHOUT_NAMESPACES, 'No usable sandbox!'],
  ['a seccomp filter of containers', confine('namespaces'), 'No usable sandbox!'],
  ['no rights within a user namespace', confine('chroot'), 'Check failed: sys_chroot('],
] as const) {
  // Checks: threat-sandbox
  test(`under ${name} the failure of the sandbox is named in Chromium's words`, (t) => {
    const { out, canRun } = launch(wrapper, false);
    if (!canRun) return t.skip('this system cannot imitate it');
    const { message, isSandbox } = JSON.parse(out) as { message: string; isSandbox: boolean };
    assert.ok(isSandbox, out);
    assert.ok(message.includes(`did not start (its sandbox could not start: ${words}`), message);
  });
}

// Checks: threat-sandbox
test('a sandbox that is switched off by name lets browsers start where it is denied', (t) => {
  const { out, canRun } = launch(confine('namespaces'), true);
  if (!canRun) return t.skip('this system cannot imitate it');
  assert.equal(out, 'started');
});
