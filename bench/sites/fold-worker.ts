import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import type { SitePage } from './list-hosts.ts';

const { model, evidence, hosts, counts, orders }: FoldWork = workerData;

/** The hosts of one fold, and the files with both stages of the model that were trained without them. */
export interface FoldWork {
  readonly model: string;
  readonly evidence: string;
  readonly hosts: readonly (readonly [string, readonly SitePage[]])[];
  readonly counts: readonly number[];
  readonly orders: number;
}

registerHooks({
  resolve: (specifier, context, next) => {
    const file = specifier.endsWith('/model-data.ts')
      ? model
      : specifier.endsWith('/evidence-weights.ts')
        ? evidence
        : undefined;
    if (file === undefined) return next(specifier, context);
    return { url: pathToFileURL(file).href, format: 'module-typescript', shortCircuit: true };
  },
});

// A dynamic import: the library must load with the other model.
const { measureHost } = await import('./measure-hosts.ts');
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
parentPort?.postMessage(hosts.map(([host, pages]) => measureHost(host, pages, counts, orders)));
