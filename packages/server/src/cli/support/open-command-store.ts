import type { Config } from '../../config/config.ts';
import type { Store } from '../../store/open-store.ts';
import type { Project } from '../../domain/keys/key-ports.ts';
import { closing } from '../../domain/shared/closing.ts';
import { CommandError } from './cli-io.ts';

/** Runs a command on the store, also while the service runs. */
export async function withStore<T>(config: Config, work: (store: Store) => Promise<T>): Promise<T> {
  const { openConfiguredStore } = await import('../../composition/open-configured-store.ts');
  await using store = closing(await openConfiguredStore(config));
  return await work(store);
}

/**
 * Finds a project by id or name.
 * @throws {CommandError} for none or several
 */
export async function requireNamedProject(store: Store, name: string): Promise<Project> {
  const projects = await store.projects.list();
  const byId = projects.find((project) => project.id === name);
  if (byId !== undefined) return byId;
  const [first, ...others] = projects.filter((project) => project.name === name);
  if (first === undefined)
    throw new CommandError(`there is no project ${name.slice(0, 80)} (winnow projects list shows them)`);
  if (others.length > 0) throw new CommandError(`several projects have the name ${name.slice(0, 80)}: give the id`);
  return first;
}
