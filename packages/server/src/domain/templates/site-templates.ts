import { GENERIC_TEMPLATE_ID } from '@winnow/contract';
import type { Extraction } from '@winnow/extract';
import { computeSignature, describePath, type PageNotes, scoreTemplate } from '@winnow/extract/matching';
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
  UnstoredPage,
} from '../extraction/extraction-ports.ts';
import type { Logger, StageBudget } from '../shared/ports.ts';
import { HealthRecorder, type PageOutcome } from './health-recorder.ts';
import { locateSite, type SiteAddress } from './site-address.ts';
import { type BuiltEvidence, hashPage, LEAST_PAGES, SiteEvidenceCache } from './site-evidence.ts';
import { type LiveTemplate, TemplateCache } from './template-cache.ts';
import type { CacheOptions } from './template-cache.ts';
import type { SiteNotesRepository, SitePlace, TemplateRepository, TemplateWorker } from './template-ports.ts';
import { EXTRACTED_FIELDS } from './test-template.ts';

export interface SiteTemplatesOptions {
  readonly templates: TemplateRepository;
  readonly notes: SiteNotesRepository;
  readonly worker: TemplateWorker;
  readonly extractor: Extractor;
  readonly logger: Logger;
  readonly minConfidence: number;
  readonly cache?: CacheOptions;
}

const MAX_TRACED = 10;
/** Excess pages leave no notes. */
const MAX_BACKGROUND = 32;
/** Longer hosts leave no notes: names in DNS are shorter. */
const MAX_HOST = 260;

/** Matches templates by persons, and evidence of the site elsewhere. Notes and counts are written after the response. */
export class SiteTemplates implements TemplateProvider {
  readonly #options: SiteTemplatesOptions;
  readonly #generic: ExtractionTemplate;
  readonly #cache: TemplateCache;
  readonly #evidence: SiteEvidenceCache;
  readonly #health: HealthRecorder;
  readonly #background = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(options: SiteTemplatesOptions) {
    this.#options = options;
    this.#generic = createGenericTemplate(options.extractor);
    this.#cache = new TemplateCache(options.templates, options.cache);
    this.#evidence = new SiteEvidenceCache(options.notes, options.worker, options.cache);
    this.#health = new HealthRecorder(options.templates, (error) =>
      options.logger.warn({ err: error }, 'counts of templates could not be written'),
    );
  }

  async match(page: UnstoredPage, budget: StageBudget): Promise<TemplateMatch> {
    const site = page.elements !== undefined || isDocumentPage(page.html) ? undefined : locateSite(page.url);
    if (site === undefined) return { template: this.#generic, candidates: [GENERIC_CANDIDATE] };
    const started = performance.now();
    const scored = scoreAll(await this.#cache.list(site, page.projectId), site, page.html);
    refuseLate(started, budget);
    const tried = scored.slice(0, MAX_TRACED).map(toCandidate);
    const active = scored.find(({ score, template }) => score > 0 && template.stored.state === 'active');
    if (active !== undefined) {
      const isByStructure = active.template.stored.document.signature !== null;
      return { template: this.#obey(active.template), candidates: [...tried, GENERIC_CANDIDATE], isByStructure };
    }
    const place = { projectId: page.projectId, host: site.host, shape: describePath(site) };
    const built = this.#evidence.find(place, page.url);
    if (built !== undefined) {
      const candidates = [...tried, toEvidenceCandidate(built, place), GENERIC_CANDIDATE];
      return { template: this.#extractOn(place, page, built), candidates };
    }
    const known = await this.#evidence.count(place, page.url);
    return {
      template: this.#extractOn(place, page),
      candidates: [...tried, GENERIC_CANDIDATE],
      ...(known < LEAST_PAGES ? {} : { generate: `${known} other pages of ${place.host}${place.shape} are known` }),
    };
  }

  /** Builds the evidence of the site. */
  async generate(page: UnstoredPage, budget: StageBudget): Promise<ExtractionTemplate | undefined> {
    const site = locateSite(page.url);
    if (site === undefined) return undefined;
    const place = { projectId: page.projectId, host: site.host, shape: describePath(site) };
    const built = await this.#evidence.build(place, page.url, budget);
    return built && this.#extractOn(place, page, built);
  }

  forget(): void {
    this.#evidence.clear();
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

  #obey(template: LiveTemplate): ExtractionTemplate {
    return {
      id: template.name,
      apply: async (page, budget) => {
        const applied = await this.#options.worker.apply(page, template, budget);
        const { extraction, fields, selectors, reasons, faults, missed } = applied;
        if (faults.length > 0) return this.#fallBack(template, extraction, faults);
        const unfit = this.#findFaults(extraction, page.url);
        if (unfit.length > 0) {
          const generic = await this.#generic.apply(page, budget);
          return this.#fallBack(template, generic.extraction, unfit);
        }
        const vanished = this.#health.findVanished(template.stored, missed);
        this.#count(template, { failed: false, missed });
        const isReplaced = vanished.some((name) => Object.hasOwn(EXTRACTED_FIELDS, name));
        const generic = isReplaced ? (await this.#generic.apply(page, budget)).extraction : undefined;
        return {
          extraction: generic === undefined ? extraction : replaceFields(extraction, generic, vanished),
          templateId: template.name,
          sources: { mainText: selectors['main_text'] ?? null, fromGeneric: { ...reasons, ...explain(vanished) } },
          ...(fields === undefined ? {} : { fields }),
        };
      },
    };
  }

  #fallBack(template: LiveTemplate, extraction: PageExtraction, faults: readonly string[]): TemplateOutcome {
    this.#count(template, { failed: true, missed: [] });
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

  #count(template: LiveTemplate, outcome: PageOutcome): void {
    this.#after(async () => {
      if (await this.#health.record(template.stored, outcome))
        this.#options.logger.warn({ template: template.name }, 'a template does not fit the last pages of its site');
    });
  }

  /** Answers by the extractor, and takes notes of the page. */
  #extractOn(
    place: SitePlace,
    { favor = 'balanced', hidden_text }: UnstoredPage,
    built?: BuiltEvidence,
  ): ExtractionTemplate {
    // Other options keep other blocks.
    const takeNotes = favor === 'balanced' && hidden_text !== 'keep' && place.host.length <= MAX_HOST;
    const known = {
      id: built?.name ?? GENERIC_TEMPLATE_ID,
      site: { takeNotes, siteEvidence: built?.evidence },
      ...(built === undefined ? {} : { pages: built.pages }),
    };
    const template = createGenericTemplate(this.#options.extractor, known);
    return {
      ...template,
      apply: async (page, budget) => {
        const { extraction, ...outcome } = await template.apply(page, budget);
        const { notes, ...answer } = extraction;
        // A wall or an error page shows nothing of the site.
        if (notes !== undefined && answer.warnings.length === 0) this.#after(() => this.#store(place, page, notes));
        return { ...outcome, extraction: answer };
      },
    };
  }

  async #store(place: SitePlace, page: PageSource, notes: PageNotes): Promise<void> {
    if (!(await isStored(page))) return;
    const id = hashPage(place.projectId, page.url);
    await this.#options.notes.add({ ...place, id, notes, seenAt: new Date() });
  }

  #after(work: () => Promise<void>): void {
    if (this.#background.size >= MAX_BACKGROUND || this.#stop.signal.aborted) return;
    const running = new Promise<void>((resolve) => setImmediate(resolve))
      .then(work)
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.#options.logger.warn({ err: error }, 'taking notes of a page failed');
      })
      .finally(() => this.#background.delete(running));
    this.#background.add(running);
  }
}

function replaceFields(own: PageExtraction, generic: PageExtraction, names: readonly string[]): PageExtraction {
  const fields = Object.entries(EXTRACTED_FIELDS).filter(([name]) => names.includes(name));
  return { ...own, ...Object.fromEntries(fields.map(([, property]) => [property, generic[property]])) };
}

function explain(vanished: readonly string[]): Record<string, string> {
  return Object.fromEntries(vanished.map((name) => [name, 'the last pages of the site have it in another place']));
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

/** Of evidence: host and path shape fit, the structure is not compared. */
const EVIDENCE_SCORE = 0.5;

function toEvidenceCandidate({ name, pages }: BuiltEvidence, { host, shape }: SitePlace): TemplateCandidate {
  return { templateId: name, score: EVIDENCE_SCORE, reason: `evidence of ${pages} other pages of ${host}${shape}` };
}

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

function toCandidate({ template, score, reason }: Scored): TemplateCandidate {
  const { state } = template.stored;
  return { templateId: template.name, score, reason: state === 'active' ? reason : `${state}: ${reason}` };
}
