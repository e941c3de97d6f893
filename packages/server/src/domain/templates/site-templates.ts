import { LRUCache } from 'lru-cache';
import { GENERIC_TEMPLATE_ID } from '@winnow/contract';
import type { Extraction } from '@winnow/extract';
import { computeSignature, scoreTemplate } from '@winnow/extract/matching';
import { AppError, shuttingDown } from '../shared/errors.ts';
import { createGenericTemplate } from '../extraction/generic-templates.ts';
import { findOutputFaults } from '../extraction/validate-output.ts';
import { isDocumentPage } from '../capture/capture-ports.ts';
import type {
  Extractor,
  PageExtraction,
  PageSource,
  ExtractionTemplate,
  TemplateCandidate,
  TemplateMatch,
  TemplateOutcome,
  TemplateProvider,
} from '../extraction/extraction-ports.ts';
import type { Logger, StageBudget } from '../shared/ports.ts';
import { HealthRecorder, type PageOutcome } from './health-recorder.ts';
import {
  FIRST_ATTEMPT,
  learnSite,
  type Learning,
  type LearnSiteDeps,
  MAX_KEPT_PAGES,
  proveCandidate,
} from './learn-site.ts';
import { locateSite, type SiteAddress } from './site-address.ts';
import { type LiveTemplate, TemplateCache, toLive } from './template-cache.ts';
import type { CacheOptions } from './template-cache.ts';
import type { LearningSite, LearningState, StoredTemplate } from './template-ports.ts';

export interface SiteTemplatesOptions extends Omit<LearnSiteDeps, 'health'> {
  readonly extractor: Extractor;
  readonly logger: Logger;
  readonly minConfidence: number;
  readonly cache?: CacheOptions;
}

const BACKGROUND_MS = 60_000;
const COMPARE_FIRST = 3;
const COMPARE_EVERY = 10;
const MAX_TRACED = 10;
/** Hosts whose pages are ignored for a while. */
const MAX_GIVEN_UP = 10_000;
const GIVEN_UP_MS = 600_000;
/** Excess pages are not learned from. */
const MAX_BACKGROUND = 32;

/** Matches templates of the project and shared ones. Learning and comparing happen after the response. */
export class SiteTemplates implements TemplateProvider {
  readonly #options: SiteTemplatesOptions;
  readonly #generic: ExtractionTemplate;
  readonly #cache: TemplateCache;
  readonly #health: HealthRecorder;
  readonly #background = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  readonly #givenUp = new LRUCache<string, true>({ max: MAX_GIVEN_UP, ttl: GIVEN_UP_MS });
  #isLearning = false;

  constructor(options: SiteTemplatesOptions) {
    this.#options = options;
    this.#generic = createGenericTemplate(options.extractor);
    this.#cache = new TemplateCache(options.templates, options.cache);
    this.#health = new HealthRecorder(options.templates, (error) =>
      options.logger.warn({ err: error }, 'counts of templates could not be written'),
    );
  }

  async match(page: PageSource, budget: StageBudget): Promise<TemplateMatch> {
    if (page.elements !== undefined || isDocumentPage(page.html))
      return { template: this.#generic, candidates: [GENERIC_CANDIDATE] };
    const started = performance.now();
    const { site, scored } = await this.#score(page.url, page.html, page.projectId);
    refuseLate(started, budget);
    const candidates = [...scored.slice(0, MAX_TRACED).map(toCandidate), GENERIC_CANDIDATE];
    const fitting = scored.filter(({ score }) => score > 0);
    const active = findActive(fitting);
    if (active !== undefined) {
      const isByStructure = active.template.stored.document.signature !== null;
      return { template: this.#serveFrom(active.template, site), candidates, isByStructure };
    }
    const template = this.#serveGeneric(
      fitting.map((one) => one.template),
      site,
    );
    const generate =
      site === undefined || fitting.length > 0 ? undefined : await this.#wantsTemplate(toLearningSite(site, page));
    return { template, candidates, ...(generate === undefined ? {} : { generate }) };
  }

  async #score(
    url: string,
    html: string,
    projectId: string,
  ): Promise<{ site: SiteAddress | undefined; scored: Scored[] }> {
    const site = locateSite(url);
    if (site === undefined) return { site, scored: [] };
    const live = await this.#cache.list(site, projectId);
    const serving = live.filter(({ stored }) => !this.#health.isSuspended(stored, projectId));
    return { site, scored: scoreAll(serving, site, html) };
  }

  /**
   * Learns within the request if the generic extractor failed on all pages of the host.
   * @throws {AppError} `template_generation_failed`
   */
  async generate(page: PageSource, budget: StageBudget): Promise<ExtractionTemplate | undefined> {
    const site = locateSite(page.url);
    if (site === undefined) return undefined;
    const learning = await this.#learn(toLearningSite(site, page), budget);
    if (learning.template !== undefined && learning.template.state === 'active')
      return this.#serveFrom(toLive(learning.template), site);
    if (learning.outcome === 'busy' || learning.template !== undefined) return undefined;
    throw new AppError(
      'template_generation_failed',
      `the site needs a template, and none could be learned: ${learning.reason}`,
    );
  }

  forget(): void {
    this.#givenUp.clear();
    this.#cache.clear();
  }

  /** Waits for background work, in tests and benches. */
  async settle(): Promise<void> {
    while (this.#background.size > 0) await Promise.all(this.#background);
  }

  async close(): Promise<void> {
    this.#stop.abort(shuttingDown());
    await this.settle();
    await this.#health.flush();
  }

  #serveFrom(template: LiveTemplate, site: SiteAddress | undefined): ExtractionTemplate {
    return {
      id: template.name,
      apply: async (page, budget) => {
        const { extraction, fields, selectors, reasons, faults, gaps } = await this.#options.worker.apply(
          page,
          template,
          budget,
        );
        if (faults.length > 0) return this.#fallBack(template, site, page, extraction, faults);
        const unfit = this.#findFaults(extraction, page.url);
        if (unfit.length > 0) {
          const generic = await this.#generic.apply(page, budget);
          return this.#fallBack(template, site, page, generic.extraction, unfit);
        }
        const outcome = { kind: gaps.length > 0 ? 'incomplete' : 'served' } as const;
        this.#after(() => this.#noticeServed(template, site, page, extraction, outcome));
        const sources = { mainText: selectors['main_text'] ?? null, fromGeneric: reasons };
        return { extraction, templateId: template.name, sources, ...(fields === undefined ? {} : { fields }) };
      },
    };
  }

  #fallBack(
    template: LiveTemplate,
    site: SiteAddress | undefined,
    page: PageSource,
    extraction: PageExtraction,
    faults: readonly string[],
  ): TemplateOutcome {
    this.#after(() => this.#noticeServed(template, site, page, extraction, { kind: 'failed' }));
    const fallback = `${template.name} does not match: ${faults.join('; ')}`;
    return { extraction, templateId: GENERIC_TEMPLATE_ID, fallback };
  }

  /** Finds faults that later stages would reject; here a fallback is possible. */
  #findFaults(extraction: Extraction, url: string): string[] {
    const { minConfidence } = this.#options;
    const { confidence } = extraction;
    const poor = confidence < minConfidence ? [`the expected quality, ${confidence}, is under ${minConfidence}`] : [];
    return [...findOutputFaults(extraction, url), ...poor];
  }

  #serveGeneric(fitting: readonly LiveTemplate[], site: SiteAddress | undefined): ExtractionTemplate {
    return {
      id: this.#generic.id,
      apply: async (page, budget) => {
        const outcome = await this.#generic.apply(page, budget);
        this.#after(() => this.#noticeGeneric(fitting, site, page, outcome.extraction));
        return outcome;
      },
    };
  }

  #after(work: () => Promise<void>): void {
    if (this.#background.size >= MAX_BACKGROUND || this.#stop.signal.aborted) return;
    const running = new Promise<void>((resolve) => setImmediate(resolve))
      .then(work)
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.#options.logger.warn({ err: error }, 'learning from a page failed');
      })
      .finally(() => this.#background.delete(running));
    this.#background.add(running);
  }

  async #noticeServed(
    template: LiveTemplate,
    site: SiteAddress | undefined,
    page: PageSource,
    extraction: Extraction,
    outcome: PageOutcome,
  ): Promise<void> {
    const shown = await this.#compare(template, page, outcome);
    const drifted = await this.#health.record(template.stored, shown, page.projectId);
    if (shown.kind !== 'served' && shown.kind !== 'agreed') await this.#notePage(site, page, extraction);
    if (!drifted) return;
    this.#options.logger.info({ template: template.name }, 'a template no longer fits its site');
    this.#cache.clear();
    if (site === undefined) return;
    const own = toLearningSite(site, page);
    await this.#learnLater(own, await this.#options.learning.getState(own));
  }

  async #compare(template: LiveTemplate, page: PageSource, outcome: PageOutcome): Promise<PageOutcome> {
    if (outcome.kind !== 'served' || !this.#isCompared(template.stored, page.projectId)) return outcome;
    const { judgement } = await this.#options.worker.try(page, template, this.#budget());
    return { kind: judgement.ok ? 'agreed' : 'disagreed' };
  }

  /** Selects the first pages, every tenth, and those after a bad one. */
  #isCompared(stored: StoredTemplate, projectId: string): boolean {
    const { served, drift } = this.#health.getHealth(stored, projectId);
    return served < COMPARE_FIRST || (served + 1) % COMPARE_EVERY === 0 || drift > 0;
  }

  /** Tries a candidate, or stores the page for learning. */
  async #noticeGeneric(
    fitting: readonly LiveTemplate[],
    site: SiteAddress | undefined,
    page: PageSource,
    extraction: Extraction,
  ): Promise<void> {
    const candidate = fitting.find(({ stored }) => stored.state === 'candidate');
    if (candidate !== undefined) return this.#tryCandidate(candidate, site, page, extraction);
    const state = await this.#notePage(site, page, extraction);
    if (site !== undefined) await this.#learnLater(toLearningSite(site, page), state);
  }

  async #tryCandidate(
    candidate: LiveTemplate,
    site: SiteAddress | undefined,
    page: PageSource,
    extraction: Extraction,
  ): Promise<void> {
    const { stored } = candidate;
    const proved = await proveCandidate(this.#options, stored, page.domId, page, this.#budget());
    if (!proved) {
      if (stored.projectId === null) this.#health.suspend(stored, page.projectId);
      await this.#notePage(site, page, extraction);
    }
    this.#cache.clear();
  }

  /** Undefined if the page was not stored. */
  async #notePage(
    site: SiteAddress | undefined,
    page: PageSource,
    extraction: Extraction,
  ): Promise<LearningState | undefined> {
    if (site === undefined || this.#isGivenUp(toLearningSite(site, page))) return undefined;
    if (!(await isStored(page))) return undefined;
    const { projectId, domId, url } = page;
    const { host } = site;
    const confidence = extraction.mainText === '' ? 0 : extraction.confidence;
    const state = await this.#options.learning.notePage({
      host,
      url,
      projectId,
      domId,
      confidence,
      seenAt: new Date(),
    });
    // Learning restarts after the stored pages have expired.
    if (state !== undefined && state.nextAttempt > MAX_KEPT_PAGES)
      this.#givenUp.set(nameSite({ projectId, host }), true);
    return state;
  }

  async #learnLater(site: LearningSite, state: LearningState | undefined): Promise<void> {
    if (state === undefined || state.pages < state.nextAttempt) return;
    // Learning occupies a worker for seconds. A skipped host is retried with its next page.
    if (this.#isLearning || (await this.#wantsTemplate(site)) !== undefined) return;
    this.#isLearning = true;
    try {
      await this.#learn(site, this.#budget());
    } finally {
      this.#isLearning = false;
    }
  }

  async #learn(site: LearningSite, budget: StageBudget): Promise<Learning> {
    const learning = await learnSite({ ...this.#options, health: this.#health }, site, budget);
    if (learning.outcome !== 'busy') {
      this.#options.logger.info(
        { host: site.host, projectId: site.projectId, outcome: learning.outcome, reason: learning.reason },
        'learned from a host',
      );
      this.#cache.clear();
    }
    return learning;
  }

  /** Returns why a template is needed; undefined if the generic extraction suffices. */
  async #wantsTemplate(site: LearningSite): Promise<string | undefined> {
    const { learning, minConfidence } = this.#options;
    if (this.#isGivenUp(site)) return undefined;
    const state = await learning.getState(site);
    if (state === undefined || state.pages < Math.max(FIRST_ATTEMPT, state.nextAttempt)) return undefined;
    const pages = await learning.listPages(site, FIRST_ATTEMPT);
    if (pages.length < FIRST_ATTEMPT || pages.some((page) => page.confidence >= minConfidence)) return undefined;
    return `the generic extractor failed on the last ${pages.length} pages of ${site.host}`;
  }

  #isGivenUp(site: LearningSite): boolean {
    return this.#givenUp.get(nameSite(site)) !== undefined;
  }

  #budget(): StageBudget {
    return { timeoutMs: BACKGROUND_MS, signal: this.#stop.signal };
  }
}

function toLearningSite({ host }: SiteAddress, { projectId }: PageSource): LearningSite {
  return { projectId, host };
}

function nameSite({ projectId, host }: LearningSite): string {
  return `${projectId} ${host}`;
}

/** False if storing failed. */
async function isStored({ stored }: PageSource): Promise<boolean> {
  if (stored === undefined) return true;
  return stored.then(
    () => true,
    () => false,
  );
}

/** Checks the time afterwards: matching blocks the event loop, so no timer could end it. */
function refuseLate(started: number, { timeoutMs }: StageBudget): void {
  if (performance.now() - started <= timeoutMs) return;
  throw new AppError('match_timeout', `the match stage did not finish within ${timeoutMs} ms`);
}

const GENERIC_CANDIDATE: TemplateCandidate = {
  templateId: GENERIC_TEMPLATE_ID,
  score: 0,
  reason: 'the built-in template matches every page',
};

interface Scored {
  readonly template: LiveTemplate;
  readonly score: number;
  readonly reason: string;
}

/** Sorts the project's own first, then by score. */
function scoreAll(live: readonly LiveTemplate[], site: SiteAddress, html: string): Scored[] {
  let signature: Uint32Array | undefined;
  const lazy = (): Uint32Array => (signature ??= computeSignature(html));
  const scored = live.map((template) => ({ template, ...scoreTemplate(template.stored.document, site, lazy) }));
  const isShared = ({ template }: Scored): number => (template.stored.projectId === null ? 1 : 0);
  return scored.toSorted(
    (a, b) => isShared(a) - isShared(b) || b.score - a.score || a.template.name.localeCompare(b.template.name),
  );
}

function findActive(scored: readonly Scored[]): Scored | undefined {
  return scored.find(({ template }) => template.stored.state === 'active');
}

function toCandidate({ template, score, reason }: Scored): TemplateCandidate {
  const { state } = template.stored;
  return { templateId: template.name, score, reason: state === 'active' ? reason : `${state}: ${reason}` };
}
