import type { TemplateDocument, TemplateState } from '@winnow/contract';
import type { Extraction } from '@winnow/extract';
import type { CustomValue, Judgement, LearnResult } from '@winnow/extract/templates';
import type { ExtractInput } from '../extraction/extraction-ports.ts';
import type { StageBudget } from '../shared/ports.ts';

export interface StoredTemplate {
  readonly id: string;
  readonly version: number;
  readonly state: TemplateState;
  /** Project that it was learned from and serves; null: shared by all projects. */
  readonly projectId: string | null;
  /** Registrable domain of its first host. */
  readonly domain: string;
  /** Without id, version and state. */
  readonly document: TemplateDocument;
  readonly health: TemplateHealth;
  /** Reason of the state. */
  readonly note: string;
  readonly createdAt: Date;
  readonly changedAt: Date;
}

export interface TemplateHealth {
  readonly served: number;
  readonly failed: number;
  /** Pages compared with the generic extractor, and disagreements among them. */
  readonly compared: number;
  readonly disagreed: number;
  /** Sum of the sequential test; 0 is good. */
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
  readonly state?: TemplateState;
  readonly domain?: string;
  /** Exclusive, by name: `tpl_…:v3`. */
  readonly after?: string;
  readonly limit: number;
}

export interface TemplateRepository {
  /** Returns false if the version exists. An active one retires all others atomically. */
  insert(template: StoredTemplate): Promise<boolean>;
  find(id: string, version: number): Promise<StoredTemplate | undefined>;
  /** Newest first. */
  listVersions(id: string): Promise<StoredTemplate[]>;
  /** Newest first. */
  list(filter: TemplateFilter): Promise<StoredTemplate[]>;
  /**
   * Templates in given states for one of the hosts or suffixes, at a cost independent of other sites.
   * @param projectId its own and shared ones; default: all projects
   */
  findByHosts(
    hosts: readonly string[],
    states: readonly TemplateState[],
    projectId?: string,
  ): Promise<StoredTemplate[]>;
  /** Returns false if another process changed the state. */
  setState(key: TemplateKey, from: readonly TemplateState[], to: TemplateState, note: string): Promise<boolean>;
  /**
   * Atomically activates a version and retires all others. Returns false if its state is not in `from`.
   * @param othersNote note of the retired ones; default: replaced
   */
  activate(key: TemplateKey, from: readonly TemplateState[], note: string, othersNote?: string): Promise<boolean>;
  /** @param at when the pages were served, for daily counts */
  addHealth(key: TemplateKey, change: HealthChange, at?: Date): Promise<void>;
  /** Daily counts over all versions; days without pages are absent. */
  listServing(id: string, from: Date): Promise<ServingDay[]>;
  forgetServingBefore(time: Date): Promise<void>;
}

export interface TemplateKey {
  readonly id: string;
  readonly version: number;
}

/** Counts are added; the drift is replaced. */
export type HealthChange = TemplateHealth;

/** A training page. */
export interface SeenPage extends LearningSite {
  readonly url: string;
  readonly domId: string;
  /** Of the generic extractor. */
  readonly confidence: number;
  readonly seenAt: Date;
}

/** A host as used by one project; learning is separate for each. */
export interface LearningSite {
  readonly projectId: string;
  readonly host: string;
}

export interface LearningRepository {
  /**
   * Stores or renews a page. Returns the project's number of pages for the host, and the number for the next attempt;
   * undefined if the URL is too long.
   */
  notePage(page: SeenPage): Promise<LearningState | undefined>;
  /** The newest pages, oldest first. */
  listPages(site: LearningSite, limit: number): Promise<SeenPage[]>;
  getState(site: LearningSite): Promise<LearningState | undefined>;
  /** Takes the expiring lease if learning is due and no other process has it; otherwise returns undefined. */
  lease(site: LearningSite, owner: string, durationMs: number): Promise<LearningState | undefined>;
  renew(site: LearningSite, owner: string, durationMs: number): Promise<void>;
  /** Releases the lease, sets the number of pages for the next attempt and removes used pages. */
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

/** Compiled once per thread and cached by name. */
export interface TemplateSource {
  /** `tpl_…:v3`. */
  readonly name: string;
  readonly json: string;
}

export interface AppliedPage {
  readonly extraction: Extraction;
  readonly fields: Readonly<Record<string, CustomValue>> | undefined;
  readonly selectors: Readonly<Record<string, string | null>>;
  /** Not empty: the template failed, and the extraction is generic. */
  readonly faults: readonly string[];
  /** Fields supplied by the generic extractor instead. */
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

/** Reads stored pages; undefined if the snapshot is gone. */
export interface PageReader {
  read(page: Pick<SeenPage, 'projectId' | 'domId'>): Promise<LearningPage | undefined>;
}
