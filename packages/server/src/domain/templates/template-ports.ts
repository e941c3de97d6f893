import type { TemplateDocument, TemplateState } from '@winnow/contract';
import type { Extraction } from '@winnow/extract';
import type { CustomValue, Judgement, LearnResult } from '@winnow/extract/templates';
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
  /** A person set the state: nothing reverts it automatically. */
  readonly byHand: boolean;
  readonly createdAt: Date;
  readonly changedAt: Date;
}

export interface TemplateHealth {
  readonly served: number;
  readonly failed: number;
  /** With the generic extractor. */
  readonly compared: number;
  readonly disagreed: number;
  /** 0 is good; see `stepDrift`. */
  readonly drift: number;
}

export interface ServingDay {
  /** Start of the day, UTC. */
  readonly day: Date;
  readonly served: number;
  readonly failed: number;
}

export const NEW_HEALTH: TemplateHealth = { served: 0, failed: 0, compared: 0, disagreed: 0, drift: 0 };

export interface TemplateFilter {
  readonly state?: TemplateState | undefined;
  readonly domain?: string | undefined;
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
  setState(
    key: TemplateKey,
    from: readonly TemplateState[],
    to: TemplateState,
    note: string,
    byHand?: boolean,
  ): Promise<boolean>;
  /**
   * Activates a version and retires all others. False if the state is not in `from`.
   * @param byHand default: false
   * @param othersNote note of the retired versions; default: `replaced by version …`
   */
  activate(
    key: TemplateKey,
    from: readonly TemplateState[],
    note: string,
    byHand?: boolean,
    othersNote?: string,
  ): Promise<boolean>;
  /** Adds the counts and replaces the drift. */
  addHealth(key: TemplateKey, change: TemplateHealth, at?: Date): Promise<void>;
  /** Lists daily counts without empty days. */
  listServing(id: string, from: Date): Promise<ServingDay[]>;
  forgetServingBefore(time: Date): Promise<void>;
}

export interface TemplateKey {
  readonly id: string;
  readonly version: number;
}

export interface SeenPage extends LearningSite {
  readonly url: string;
  readonly domId: string;
  /** Of the generic extractor. */
  readonly confidence: number;
  readonly seenAt: Date;
}

/** Learning is separate for each project. */
export interface LearningSite {
  readonly projectId: string;
  readonly host: string;
}

export interface LearningRepository {
  /** Returns the number of pages, and of pages for the next attempt; undefined if the URL is too long. */
  notePage(page: SeenPage): Promise<LearningState | undefined>;
  /** Lists the newest pages, oldest first. */
  listPages(site: LearningSite, limit: number): Promise<SeenPage[]>;
  getState(site: LearningSite): Promise<LearningState | undefined>;
  /** Undefined if learning is not due or another process has the lease. */
  lease(site: LearningSite, owner: string, durationMs: number): Promise<LearningState | undefined>;
  renew(site: LearningSite, owner: string, durationMs: number): Promise<void>;
  /** Removes used pages. */
  release(site: LearningSite, owner: string, nextAttempt: number, usedUrls: readonly string[]): Promise<void>;
  /** Removes old and excess pages, and hosts without pages. */
  forgetBefore(time: Date): Promise<void>;
}

export interface LearningState {
  readonly pages: number;
  readonly nextAttempt: number;
}

export interface TemplateWorker {
  apply(page: ExtractInput, template: TemplateSource, budget: StageBudget): Promise<AppliedPage>;
  try(page: ExtractInput, template: TemplateSource, budget: StageBudget): Promise<TriedPage>;
  learn(pages: readonly LearningPage[], budget: StageBudget): Promise<LearnResult>;
}

/** A template, compiled once per worker. */
export interface TemplateSource {
  readonly name: string;
  readonly json: string;
}

export interface AppliedPage {
  readonly extraction: PageExtraction;
  readonly fields: Readonly<Record<string, CustomValue>> | undefined;
  readonly selectors: Readonly<Record<string, string | null>>;
  /** Why a part with a rule comes from the generic extractor. */
  readonly reasons: Readonly<Record<string, string>>;
  /** Not empty: the extraction is generic. */
  readonly faults: readonly string[];
  /** Fields supplied by the generic extractor. */
  readonly gaps: readonly string[];
}

export interface TriedPage extends AppliedPage {
  readonly generic: Extraction;
  readonly judgement: Judgement;
}

export interface LearningPage {
  readonly html: string;
  readonly url: string;
  readonly contentLanguage?: string | null;
}

/** Undefined if the snapshot is gone. */
export interface PageReader {
  read(page: Pick<SeenPage, 'projectId' | 'domId'>): Promise<LearningPage | undefined>;
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
