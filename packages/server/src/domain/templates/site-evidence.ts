import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ProjectRepository } from '../keys/key-ports.ts';
import type { StageBudget } from '../shared/ports.ts';
import { nameVersion } from './template-ports.ts';
import type {
  EvidencePlace,
  GatheredEvidence,
  SiteNotesRepository,
  SitePlace,
  TemplateWorker,
} from './template-ports.ts';

/** Fewer other pages show nothing of a site. */
const LEAST_PAGES = 2;

export interface BuiltEvidence extends GatheredEvidence {
  readonly place: EvidencePlace;
  /** `tpl_…:v12`. */
  readonly name: string;
  /** Ids of the pages. */
  readonly ids: ReadonlySet<string>;
}

/** Of JSON. */
const MAX_CHARACTERS = 32_000_000;

/** What other pages of a place show, for the extraction of one page. */
export class SiteEvidenceCache {
  readonly #notes: SiteNotesRepository;
  readonly #worker: Pick<TemplateWorker, 'gather'>;
  /** Undefined: nothing is cached. */
  readonly #built: LRUCache<string, BuiltEvidence> | undefined;

  /** @param maxAgeMs time in which new pages are ignored; 0: nothing is cached */
  constructor(notes: SiteNotesRepository, worker: Pick<TemplateWorker, 'gather'>, maxAgeMs: number) {
    this.#notes = notes;
    this.#worker = worker;
    if (maxAgeMs === 0) return;
    this.#built = new LRUCache({
      maxSize: MAX_CHARACTERS,
      sizeCalculation: ({ evidence }) => evidence.length + 5_000,
      ttl: maxAgeMs,
    });
  }

  /**
   * Finds the evidence for a page: of the other pages of its shape, else of its host.
   * @returns built evidence, or where enough other pages are known, and how many
   */
  async find(
    place: SitePlace,
    url: string,
  ): Promise<BuiltEvidence | { readonly place: EvidencePlace; readonly known: number } | undefined> {
    const id = hashPage(place.projectId, url);
    for (const one of toEvidencePlaces(place)) {
      const built = this.#built?.get(keyOf(one));
      if (built?.ids.has(id) === false) return built;
      const known = await this.#notes.count(one, id);
      if (known >= LEAST_PAGES) return { place: one, known };
    }
    return undefined;
  }

  /** Builds the evidence of the other pages of the shape, else of the host; undefined if they are too few. */
  async build(page: SitePlace, url: string, budget: StageBudget): Promise<BuiltEvidence | undefined> {
    const id = hashPage(page.projectId, url);
    for (const place of toEvidencePlaces(page)) {
      const { version, notes, ids } = await this.#notes.read(place, id);
      const gathered = notes.length < LEAST_PAGES ? undefined : await this.#worker.gather(notes, budget);
      if (gathered === undefined) continue;
      const built = { place, name: nameEvidence(place, version), ...gathered, ids };
      this.#built?.set(keyOf(place), built);
      return built;
    }
    return undefined;
  }

  clear(): void {
    this.#built?.clear();
  }
}

const MAX_PROJECTS = 1000;

/**
 * Remembers which projects learn from their pages.
 * @param maxAgeMs 0: nothing is remembered
 */
export function rememberLearning(
  projects: Pick<ProjectRepository, 'find'>,
  maxAgeMs: number,
): { has(projectId: string): Promise<boolean>; clear(): void } {
  const known = new LRUCache<string, boolean>({
    max: MAX_PROJECTS,
    ttl: maxAgeMs,
    ignoreFetchAbort: true,
    fetchMethod: async (id) => (await projects.find(id))?.learns ?? true,
  });
  return {
    has: async (projectId) => (await known.fetch(projectId, { forceRefresh: maxAgeMs === 0 })) ?? true,
    clear: () => known.clear(),
  };
}

function toEvidencePlaces({ projectId, host, shape }: SitePlace): EvidencePlace[] {
  return [shape, null].map((one) => ({ projectId, host, shape: one }));
}

function keyOf({ projectId, host, shape }: EvidencePlace): string {
  return `${projectId} ${host} ${shape ?? ''}`;
}

/** Returns the id of a page's notes. */
export function hashPage(projectId: string, url: string): string {
  return createHash('sha256').update(`${projectId} ${url}`).digest('base64url');
}

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ID_LENGTH = 26;

/** Returns `tpl_…:v12`: the same id on every node. */
export function nameEvidence(place: EvidencePlace, version: number): string {
  const bytes = createHash('sha256').update(keyOf(place)).digest().subarray(0, ID_LENGTH);
  const id = Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return nameVersion({ id: `tpl_${id}`, version });
}
