import type { Config } from '../../config/config.ts';
import type { Store } from '../../store/open-store.ts';

/** Runs a command on the store, also while the service runs. */
export async function withStore<T>(config: Config, work: (store: Store) => Promise<T>): Promise<T> {
  const { openConfiguredStore } = await import('../../composition/open-configured-store.ts');
  const store = await openConfiguredStore(config, (error) => {
    throw error;
  });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
