import type { TemplateDocument, TemplateState } from '@winnow/contract';
import type { Extraction } from '@winnow/extract';
import type { MarkedPage, PageNotes, TaughtSite } from '@winnow/extract/matching';
import type { AppliedTemplate, OutlinedBlock } from '@winnow/extract/templates';
import type { ExtractInput, PageExtraction } from '../extraction/extraction-ports.ts';
import type { StageBudget } from '../shared/ports.ts';

export interface StoredTemplate {
  readonly id: string;
  readonly version: number;
  readonly state: TemplateState;
  /** Null: shared by all projects. */
  readonly projectId: string | null;
  /** Of its first host. */
  readonly domain: string;
  /** Without id, version and state. */
  readonly document: TemplateDocument;
  readonly health: TemplateHealth;
  readonly note: string;
  readonly createdAt: Date;
  readonly changedAt: Date;
}

export interface PageCounts {
  readonly served: number;
  /** Answered by the generic extractor. */
  readonly failed: number;
}

export interface TemplateHealth extends PageCounts {
  /** 0 is good; see `stepDrift`. */
  readonly drift: number;
  readonly filled: FilledFields;
}

/** How many of the served pages have each field. */
export interface FilledFields {
  readonly pages: number;
  readonly fields: Readonly<Record<string, number>>;
  /** Fields that nearly all pages had once. */
  readonly usual: readonly string[];
}

export interface ServingDay {
  /** Start of the day, UTC. */
  readonly day: Date;
  readonly served: number;
  readonly failed: number;
}

export const NEW_HEALTH: TemplateHealth = {
  served: 0,
  failed: 0,
  drift: 0,
  filled: { pages: 0, fields: {}, usual: [] },
};

export interface TemplateFilter {
  readonly state?: TemplateState | undefined;
  readonly domain?: string | undefined;
  /** Its own and shared templates; default: all. */
  readonly projectId?: string | undefined;
  /** Exclusive, by name: `tpl_…:v3`. */
  readonly after?: string | undefined;
  readonly limit: number;
}

export interface TemplateRepository {
  /** False if the version exists. An active one retires all others. */
  insert(template: StoredTemplate): Promise<boolean>;
  find(id: string, version: number): Promise<StoredTemplate | undefined>;
  /** Newest first. */
  listVersions(id: string): Promise<StoredTemplate[]>;
  /** Newest first. */
  list(filter: TemplateFilter): Promise<StoredTemplate[]>;
  /**
   * Finds templates at a cost independent of other sites.
   * @param projectId finds its own and shared templates; default: all
   */
  findByHosts(
    hosts: readonly string[],
    states: readonly TemplateState[],
    projectId?: string,
  ): Promise<StoredTemplate[]>;
  /** False if another process changed the state. */
  setState(key: TemplateKey, from: readonly TemplateState[], to: TemplateState, note: string): Promise<boolean>;
  /**
   * Activates a version and retires all others. False if the state is not in `from`.
   * @param othersNote note of the retired versions; default: `replaced by version …`
   */
  activate(key: TemplateKey, from: readonly TemplateState[], note: string, othersNote?: string): Promise<boolean>;
  /** Adds the counts and replaces the rest. */
  addHealth(key: TemplateKey, change: TemplateHealth, at?: Date): Promise<void>;
  /** Lists daily counts without empty days. */
  listServing(id: string, from: Date): Promise<ServingDay[]>;
  forgetServingBefore(time: Date): Promise<void>;
}

export interface TemplateKey {
  readonly id: string;
  readonly version: number;
}

/** The pages of a project that share a host and a path shape. */
export interface SitePlace {
  readonly projectId: string;
  readonly host: string;
  /** See `describePath`. */
  readonly shape: string;
}

/** Pages that are evidence together. */
export interface EvidencePlace extends Omit<SitePlace, 'shape'> {
  /** Null: every shape of the host. */
  readonly shape: string | null;
}

export interface NotedPage extends SitePlace {
  /** See `hashPage`. */
  readonly id: string;
  readonly notes: PageNotes;
  readonly seenAt: Date;
}

export interface PlaceNotes {
  /** Grows with each page. */
  readonly version: number;
  /** JSON of PageNotes, oldest first. */
  readonly notes: readonly string[];
  readonly ids: ReadonlySet<string>;
}

export interface NotedPlace extends SitePlace {
  readonly pages: number;
  readonly version: number;
  readonly seenAt: Date;
}

export interface SiteNotesRepository {
  /** Stores the notes of a page in place of its earlier ones. */
  add(page: NotedPage): Promise<void>;
  /** @param except id of a page that does not count */
  count(place: EvidencePlace, except: string): Promise<number>;
  /** @param except id of a page whose notes are left out */
  read(place: EvidencePlace, except: string): Promise<PlaceNotes>;
  /** Lists the places of a project, the newest pages first. */
  listPlaces(query: {
    readonly projectId: string;
    readonly domain?: string | undefined;
    readonly limit: number;
  }): Promise<NotedPlace[]>;
  forgetBefore(time: Date): Promise<void>;
}

export interface GatheredEvidence {
  /** Number of pages. */
  readonly pages: number;
  /** JSON of a SiteEvidence. */
  readonly evidence: string;
}

export interface TemplateWorker {
  apply(page: ExtractInput, template: TemplateSource, budget: StageBudget): Promise<AppliedPage>;
  try(page: ExtractInput, template: TemplateSource, budget: StageBudget): Promise<TriedPage>;
  /** @param notes JSON of PageNotes; undefined if they are too few */
  gather(notes: readonly string[], budget: StageBudget): Promise<GatheredEvidence | undefined>;
  outline(
    page: Pick<ExtractInput, 'html' | 'url'>,
    taught: TaughtSite | undefined,
    budget: StageBudget,
  ): Promise<OutlinedBlock[]>;
  /** Reads what marks say about the site. */
  mark(html: string, marks: BlockMarks, budget: StageBudget): Promise<PageMarks>;
}

/** Whether blocks of a page are content, by id. */
export type BlockMarks = readonly (readonly [block: string, keep: boolean])[];

export interface PageMarks {
  readonly page: MarkedPage;
  /** Ids that the page does not have. */
  readonly unknown: readonly string[];
}

/** A page that a person marked to teach a site. */
export interface TaughtExample extends SitePlace {
  readonly domId: string;
  readonly url: string;
  readonly marks: BlockMarks;
  readonly page: MarkedPage;
  readonly changedAt: Date;
}

/** Marks are kept until they are deleted, longer than their snapshots. */
export interface TaughtExampleRepository {
  /** Stores the marks of a page in place of its earlier ones; false if the site or project has too many examples. */
  put(example: TaughtExample): Promise<boolean>;
  /** Lists the examples of a host, the oldest first. */
  list(projectId: string, host: string): Promise<TaughtExample[]>;
  find(projectId: string, host: string, domId: string): Promise<TaughtExample | undefined>;
  /** False if there is none. */
  delete(projectId: string, host: string, domId: string): Promise<boolean>;
}

/** A template, compiled once per worker. */
export interface TemplateSource {
  readonly name: string;
  readonly json: string;
}

/** Faults: the extraction is generic. */
export interface AppliedPage extends Pick<AppliedTemplate, 'fields' | 'selectors' | 'reasons' | 'faults' | 'missed'> {
  readonly extraction: PageExtraction;
}

export interface TriedPage extends AppliedPage {
  readonly generic: Extraction;
  /** Word F1 of the two main texts. */
  readonly agreement: number;
}

export interface StoredPage {
  readonly html: string;
  readonly url: string;
  readonly contentLanguage?: string | null;
}

/** Returns `tpl_…:v3`. */
export function nameVersion({ id, version }: { readonly id: string; readonly version: number }): string {
  return `${id}:v${version}`;
}

/** Reads `tpl_…:v3`, or an id alone; undefined for other text. */
export function readTemplateName(
  text: string,
): { readonly id: string; readonly version: number | undefined } | undefined {
  const [, id, version] = /^(tpl_[0-9A-Z]{26})(?::v(\d{1,9}))?$/.exec(text) ?? [];
  return id === undefined ? undefined : { id, version: version === undefined ? undefined : Number(version) };
}
