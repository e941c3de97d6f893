import type { Config } from '../../config/config.ts';
import type { Store } from '../../store/open-store.ts';

/** Runs a command on the store, which a running service may have open too. */
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
