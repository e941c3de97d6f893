import { fork, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { PUBLIC_IPV4, PUBLIC_IPV6 } from './addresses.ts';
import type { Sightings, WorldCommand } from './world.ts';

/**
 * Two isolated network namespaces, one for the service and one for the world, joined by two virtual wires. The first
 * leads to the public addresses of the test site. The second is the default route, so its counter shows every
 * packet to any other address.
 */
export interface TwoNetworks {
  /** The process in the service's network; `module` of {@link openTwoNetworks}. */
  readonly service: ChildProcess;
  /** Sends the service a command and returns its answer. */
  ask(task: string): Promise<unknown>;
  sightings(): Promise<Sightings>;
  close(): Promise<void>;
}

/** Name of the second wire in the service's network. */
export const TRAP = 'trap';

const SERVICE_SIDE = [
  'link set lo up',
  'link set good up',
  'address add 93.184.216.2/24 dev good',
  'address add 2606:2800:220:1::2/64 dev good nodad',
  // Without an IPv6 address the interface sends no packets by itself.
  'link set trap addrgenmode none',
  'link set trap up',
  'address add 10.255.255.1/24 dev trap',
  'route add default via 10.255.255.2 dev trap',
  '-6 route add default dev trap',
];
const WORLD_SIDE = [
  'link set lo up',
  'link set good up',
  `address add ${PUBLIC_IPV4}/24 dev good`,
  `address add ${PUBLIC_IPV6}/64 dev good nodad`,
  'link set trap addrgenmode none',
  'link set trap up',
  'address add 10.255.255.2/24 dev trap',
  // Every address is local here.
  'route add local default dev lo table main',
  '-6 route add local default dev lo table main',
];

/** Returns why this user cannot create networks on this machine, or undefined. */
export function findObstacle(): string | undefined {
  const tools = ['unshare', 'nsenter', 'ip'];
  const missing = tools.find((tool) => spawnSync(tool, ['--help']).error !== undefined);
  if (missing !== undefined) return `${missing} is not installed`;
  const trial = spawnSync('unshare', '-n -m ip link add name one type veth peer name other'.split(' '));
  return trial.status === 0 ? undefined : 'networks and mounts of its own need root';
}

/** Starts `module` in the service's network, and the world beside it. */
export async function openTwoNetworks(
  module: string,
  environment: Readonly<Record<string, string>>,
  order: WorldCommand,
): Promise<TwoNetworks> {
  const world = forkApart(path.join(import.meta.dirname, 'world.ts'), {});
  const service = forkApart(module, environment);
  try {
    await Promise.all([until(world, 'spawned'), until(service, 'spawned')]);
    ip(world, `link add good type veth peer name good netns ${service.pid}`);
    ip(world, `link add trap type veth peer name ${TRAP} netns ${service.pid}`);
    for (const command of WORLD_SIDE) ip(world, command);
    for (const command of SERVICE_SIDE) ip(service, command);
    world.send(order);
    await until(world, 'listening');
  } catch (error) {
    await endAll([world, service]);
    throw error;
  }
  return {
    service,
    async ask(task) {
      service.send(task);
      return nextMessage(service);
    },
    async sightings() {
      world.send('tell');
      return (await nextMessage(world)) as Sightings;
    },
    close: () => endAll([world, service]),
  };
}

/** Forks a process into new network and mount namespaces, named by its pid. It sends `spawned` when it runs. */
function forkApart(module: string, environment: Readonly<Record<string, string>>): ChildProcess {
  return fork(module, {
    execPath: 'unshare',
    execArgv: ['-n', '-m', process.execPath],
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

async function until(child: ChildProcess, message: string): Promise<void> {
  const received = await nextMessage(child);
  if (received !== message) throw new Error(`expected ${message}, received ${JSON.stringify(received)}`);
}

async function nextMessage(child: ChildProcess): Promise<unknown> {
  const waiting = new AbortController();
  const { signal } = waiting;
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`a process ended with code ${String(code)}`);
  });
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal }), ended])) as [unknown];
    return message;
  } finally {
    ended.catch(() => {});
    waiting.abort();
  }
}

function ip(child: ChildProcess, command: string): void {
  const { status, stderr } = spawnSync('nsenter', ['-t', String(child.pid), '-n', 'ip', ...command.split(' ')]);
  if (status !== 0) throw new Error(`ip ${command}: ${stderr.toString()}`);
}

async function endAll(children: readonly ChildProcess[]): Promise<void> {
  await Promise.all(
    children.map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    }),
  );
}
