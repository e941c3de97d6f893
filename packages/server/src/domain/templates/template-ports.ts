/** What the life of site templates needs of the world. */
import type { TemplateDocument, TemplateState } from '@winnow/contract';
import type { Extraction } from '@winnow/extract';
import type { CustomValue, Judgement, LearnResult } from '@winnow/extract/templates';
import type { ExtractInput } from '../extraction/extraction-ports.ts';
import type { StageBudget } from '../shared/ports.ts';

/** One version of a template, as stored. */
export interface StoredTemplate {
  readonly id: string;
  readonly version: number;
  readonly state: TemplateState;
  /** The project whose pages it was learned from and that alone it serves; null: it is shared, and serves every project. */
  readonly projectId: string | null;
  /** Registrable domain of its first host. */
  readonly domain: string;
  /** Without id, version and state, which stand beside it. */
  readonly document: TemplateDocument;
  readonly health: TemplateHealth;
  /** Why it is in its state; for people. */
  readonly note: string;
  readonly createdAt: Date;
  readonly changedAt: Date;
}

/** What serving has shown of a version. */
export interface TemplateHealth {
  readonly served: number;
  readonly failed: number;
  /** Pages compared with the generic extractor, trials included, and those on which the two disagreed. */
  readonly compared: number;
  readonly disagreed: number;
  /** The sequential test: 0 is well; see `sequential-test.ts`. */
  readonly drift: number;
}

/** Pages that a template served, and those on which it failed, of one day. */
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
  /** Listed after this one, by its name: `tpl_…:v3`. */
  readonly after?: string;
  readonly limit: number;
}

export interface TemplateRepository {
  /** False when the version is there already. One that is active retires all others of its template, at once. */
  insert(template: StoredTemplate): Promise<boolean>;
  find(id: string, version: number): Promise<StoredTemplate | undefined>;
  /** All versions of a template, newest first. */
  listVersions(id: string): Promise<StoredTemplate[]>;
  /** Newest template first. */
  list(filter: TemplateFilter): Promise<StoredTemplate[]>;
  /**
   * Templates in one of the states that name one of the hosts or suffixes; the cost does not grow with other sites' templates.
   * @param projectId only the project's own and shared ones; default: those of every project
   */
  findByHosts(
    hosts: readonly string[],
    states: readonly TemplateState[],
    projectId?: string,
  ): Promise<StoredTemplate[]>;
  /** False when it is not in the state `from`: another process was faster. */
  setState(key: TemplateKey, from: readonly TemplateState[], to: TemplateState, note: string): Promise<boolean>;
  /**
   * Puts a version into service and retires all others of its template, at once: there is one active version, whoever
   * else changes them at the same time. False when it is not in one of the states `from`.
   * @param othersNote why the others are retired; default: that they are replaced
   */
  activate(key: TemplateKey, from: readonly TemplateState[], note: string, othersNote?: string): Promise<boolean>;
  /** @param at when the pages were served; counts are kept by day */
  addHealth(key: TemplateKey, change: HealthChange, at?: Date): Promise<void>;
  /** What all versions of a template served by day, from a day on; days without pages are left out. */
  listServing(id: string, from: Date): Promise<ServingDay[]>;
  /** Forgets counts of days before the time. */
  forgetServingBefore(time: Date): Promise<void>;
}

export interface TemplateKey {
  readonly id: string;
  readonly version: number;
}

/** Counts are added; the drift replaces the stored one. */
export type HealthChange = TemplateHealth;

/** A page from which its host's template may be learned. */
export interface SeenPage extends LearningSite {
  readonly url: string;
  readonly domId: string;
  /** The generic extractor's. */
  readonly confidence: number;
  readonly seenAt: Date;
}

/** A host as one project meets it: what is learned of it is learned for that project alone. */
export interface LearningSite {
  readonly projectId: string;
  readonly host: string;
}

/** Pages without a template, and who learns from them. */
export interface LearningRepository {
  /**
   * Notes a page; one that was noted before is only renewed. Returns how many pages the project now has of the host, and at how many it
   * is time to learn. Undefined: the URL is too long to be noted.
   */
  notePage(page: SeenPage): Promise<LearningState | undefined>;
  /** The newest pages of a host, oldest first. */
  listPages(site: LearningSite, limit: number): Promise<SeenPage[]>;
  getState(site: LearningSite): Promise<LearningState | undefined>;
  /**
   * Takes the host's lease when it is time to learn and nobody holds it. Undefined when not. The lease ends by
   * itself, so that a process that died does not keep a host from learning.
   */
  lease(site: LearningSite, owner: string, durationMs: number): Promise<LearningState | undefined>;
  /** Prolongs the lease of an attempt that is still under way. */
  renew(site: LearningSite, owner: string, durationMs: number): Promise<void>;
  /** Gives the lease back, says at how many pages to try again, and forgets pages that were used up. */
  release(site: LearningSite, owner: string, nextAttempt: number, usedUrls: readonly string[]): Promise<void>;
  /** Removes pages that are older than this, the oldest of a project that has too many, and hosts without pages. */
  forgetBefore(time: Date): Promise<void>;
}

export interface LearningState {
  readonly pages: number;
  readonly nextAttempt: number;
}

/** Template work in threads. */
export interface TemplateWorker {
  apply(page: ExtractInput, template: TemplateSource, budget: StageBudget): Promise<AppliedPage>;
  try(page: ExtractInput, template: TemplateSource, budget: StageBudget): Promise<TriedPage>;
  learn(pages: readonly LearningPage[], budget: StageBudget): Promise<LearnResult>;
}

/** A template as threads take it: the text is compiled once in each thread and found again by its name. */
export interface TemplateSource {
  /** `tpl_…:v3`. */
  readonly name: string;
  readonly json: string;
}

export interface AppliedPage {
  readonly extraction: Extraction;
  readonly fields: Readonly<Record<string, CustomValue>> | undefined;
  readonly selectors: Readonly<Record<string, string | null>>;
  /** Not empty: the template does not hold on the page, and the extraction is the generic one. */
  readonly faults: readonly string[];
  /** Fields that the template should have found and that the generic extractor gave instead. */
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

/** Reads the HTML of pages that were seen; undefined when the snapshot is gone. */
export interface PageReader {
  read(page: Pick<SeenPage, 'projectId' | 'domId'>): Promise<LearningPage | undefined>;
}
