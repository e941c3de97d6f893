import type { TemplateState } from '@winnow/contract';
import type { StoredTemplate, TemplateRepository, TemplateSource } from './template-ports.ts';
import type { SiteAddress } from './site-address.ts';

const LIVE_STATES: readonly TemplateState[] = ['active', 'candidate', 'suspect'];

export interface CacheOptions {
  /** Default 300. */
  readonly maxHosts?: number;
  /** Of JSON. Default 8 million. */
  readonly maxCharacters?: number;
  /** Until changes of other processes are seen. Default 3000. */
  readonly maxAgeMs?: number;
  readonly now?: () => number;
}

export interface LiveTemplate extends TemplateSource {
  readonly stored: StoredTemplate;
}

interface Entry {
  readonly templates: readonly LiveTemplate[];
  readonly characters: number;
  readonly readAt: number;
}

export class TemplateCache {
  readonly #repository: TemplateRepository;
  readonly #maxHosts: number;
  readonly #maxCharacters: number;
  readonly #maxAgeMs: number;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();
  #characters = 0;

  constructor(repository: TemplateRepository, options: CacheOptions = {}) {
    this.#repository = repository;
    this.#maxHosts = options.maxHosts ?? 300;
    this.#maxCharacters = options.maxCharacters ?? 8_000_000;
    this.#maxAgeMs = options.maxAgeMs ?? 3_000;
    this.#now = options.now ?? (() => performance.now());
  }

  async list(site: SiteAddress, projectId: string): Promise<readonly LiveTemplate[]> {
    const key = `${projectId} ${site.host}`;
    const known = this.#entries.get(key);
    if (known !== undefined && this.#now() - known.readAt < this.#maxAgeMs) {
      // Most recently used last.
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known.templates;
    }
    const rows = await this.#repository.findByHosts(site.hostKeys, LIVE_STATES, projectId);
    const templates = rows.map(toLive);
    this.#drop(key);
    const characters = templates.reduce((sum, template) => sum + template.json.length, 100);
    this.#entries.set(key, { templates, characters, readAt: this.#now() });
    this.#characters += characters;
    this.#shrink();
    return templates;
  }

  clear(): void {
    this.#entries.clear();
    this.#characters = 0;
  }

  #shrink(): void {
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxHosts && this.#characters <= this.#maxCharacters) return;
      this.#drop(key);
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#characters -= entry.characters;
    this.#entries.delete(key);
  }
}

export function toLive(stored: StoredTemplate): LiveTemplate {
  return { stored, ...toSource(stored) };
}

export function toSource(version: Pick<StoredTemplate, 'id' | 'version' | 'document'>): TemplateSource {
  return { name: nameVersion(version), json: JSON.stringify(version.document) };
}

/** Returns `tpl_…:v3`. */
export function nameVersion({ id, version }: { readonly id: string; readonly version: number }): string {
  return `${id}:v${version}`;
}
