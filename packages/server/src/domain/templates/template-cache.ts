import { LRUCache } from 'lru-cache';
import type { TemplateState } from '@winnow/contract';
import { nameVersion, type StoredTemplate, type TemplateRepository, type TemplateSource } from './template-ports.ts';
import type { SiteAddress } from './site-address.ts';

const LIVE_STATES: readonly TemplateState[] = ['active', 'candidate'];

const MAX_HOSTS = 300;

/** Of JSON. */
const MAX_CHARACTERS = 8_000_000;

export interface LiveTemplate extends TemplateSource {
  readonly stored: StoredTemplate;
}

/** @param maxAgeMs delay of changes by other processes; 0: nothing is cached */
export class TemplateCache {
  readonly #templates: LRUCache<string, readonly LiveTemplate[], { hostKeys: readonly string[]; projectId: string }>;
  readonly #isOff: boolean;

  constructor(repository: TemplateRepository, maxAgeMs: number) {
    this.#isOff = maxAgeMs === 0;
    this.#templates = new LRUCache({
      max: MAX_HOSTS,
      maxSize: MAX_CHARACTERS,
      sizeCalculation: (templates) => templates.reduce((sum, { json }) => sum + json.length, 100),
      ttl: maxAgeMs,
      ignoreFetchAbort: true,
      fetchMethod: async (_key, _stale, { context: { hostKeys, projectId } }) => {
        const rows = await repository.findByHosts(hostKeys, LIVE_STATES, projectId);
        return rows.map((stored) => ({ stored, ...toSource(stored) }));
      },
    });
  }

  async list({ host, hostKeys }: SiteAddress, projectId: string): Promise<readonly LiveTemplate[]> {
    const context = { hostKeys, projectId };
    return (await this.#templates.fetch(`${projectId} ${host}`, { context, forceRefresh: this.#isOff })) ?? [];
  }

  clear(): void {
    this.#templates.clear();
  }
}

export function toSource(version: Pick<StoredTemplate, 'id' | 'version' | 'document'>): TemplateSource {
  return { name: nameVersion(version), json: JSON.stringify(version.document) };
}
