import { LRUCache } from 'lru-cache';
import type { TemplateState } from '@winnow/contract';
import { nameVersion, type StoredTemplate, type TemplateRepository, type TemplateSource } from './template-ports.ts';
import type { SiteAddress } from './site-address.ts';

const LIVE_STATES: readonly TemplateState[] = ['active', 'candidate'];

export interface CacheOptions {
  /** Default 300. */
  readonly maxHosts?: number;
  /** Of JSON. Default 8 million. */
  readonly maxCharacters?: number;
  /** Delay of changes by other processes; 0: none. Default 3000. */
  readonly maxAgeMs?: number;
}

export interface LiveTemplate extends TemplateSource {
  readonly stored: StoredTemplate;
}

export class TemplateCache {
  readonly #repository: TemplateRepository;
  /** Undefined: nothing is cached. */
  readonly #templates: LRUCache<string, readonly LiveTemplate[]> | undefined;

  constructor(repository: TemplateRepository, options: CacheOptions = {}) {
    const { maxHosts = 300, maxCharacters = 8_000_000, maxAgeMs = 3_000 } = options;
    this.#repository = repository;
    if (maxAgeMs === 0) return;
    this.#templates = new LRUCache({
      max: maxHosts,
      maxSize: maxCharacters,
      sizeCalculation: (templates) => templates.reduce((sum, { json }) => sum + json.length, 100),
      ttl: maxAgeMs,
    });
  }

  async list(site: SiteAddress, projectId: string): Promise<readonly LiveTemplate[]> {
    const key = `${projectId} ${site.host}`;
    const known = this.#templates?.get(key);
    if (known !== undefined) return known;
    const rows = await this.#repository.findByHosts(site.hostKeys, LIVE_STATES, projectId);
    const templates = rows.map((stored) => ({ stored, ...toSource(stored) }));
    this.#templates?.set(key, templates);
    return templates;
  }

  clear(): void {
    this.#templates?.clear();
  }
}

export function toSource(version: Pick<StoredTemplate, 'id' | 'version' | 'document'>): TemplateSource {
  return { name: nameVersion(version), json: JSON.stringify(version.document) };
}
