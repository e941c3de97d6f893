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
import type { ProjectRepository } from '../keys/key-ports.ts';
import type { Logger, StageBudget } from '../shared/ports.ts';
import { HealthRecorder, type PageOutcome, TAUGHT_RULE } from './health-recorder.ts';
import { locateSite, type SiteAddress } from './site-address.ts';
import { type BuiltEvidence, hashPage, rememberLearning, SiteEvidenceCache } from './site-evidence.ts';
import { TemplateCache, type LiveTemplate } from './template-cache.ts';
import type {
  EvidencePlace,
  SiteNotesRepository,
  SitePlace,
  TemplateRepository,
  TemplateWorker,
} from './template-ports.ts';
import { EXTRACTED_FIELDS } from './test-template.ts';

export interface SiteTemplatesOptions {
  readonly templates: TemplateRepository;
  readonly notes: SiteNotesRepository;
  readonly projects: Pick<ProjectRepository, 'find'>;
  readonly worker: TemplateWorker;
  readonly extractor: Extractor;
  readonly logger: Logger;
  readonly minConfidence: number;
  /** Delay of changes by other processes; 0: nothing is cached. Default 3000. */
  readonly cache?: { readonly maxAgeMs: number };
}

const MAX_AGE_MS = 3000;
const MAX_TRACED = 10;
const MOVED = 'the last pages of the site have it in another place';
/** Excess pages leave no notes. */
const MAX_BACKGROUND = 32;
/** Longer hosts leave no notes: names in DNS are shorter. */
const MAX_HOST = 260;

/** Where a page is, and whether its project learns from its pages. */
interface PageOfSite extends SitePlace {
  readonly learns: boolean;
}

/** Matches templates by persons, and evidence of the site elsewhere. Notes and counts are written after the response. */
export class SiteTemplates implements TemplateProvider {
  readonly #options: SiteTemplatesOptions;
  readonly #generic: ExtractionTemplate;
  readonly #cache: TemplateCache;
  readonly #evidence: SiteEvidenceCache;
  readonly #learning: ReturnType<typeof rememberLearning>;
  readonly #health: HealthRecorder;
  readonly #background = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(options: SiteTemplatesOptions) {
    this.#options = options;
    this.#generic = createGenericTemplate(options.extractor);
    const { maxAgeMs } = options.cache ?? { maxAgeMs: MAX_AGE_MS };
    this.#cache = new TemplateCache(options.templates, maxAgeMs);
    this.#evidence = new SiteEvidenceCache(options.notes, options.worker, maxAgeMs);
    this.#learning = rememberLearning(options.projects, maxAgeMs);
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
    const active = findActive(scored);
    const learns = await this.#learning.has(page.projectId);
    const place = { projectId: page.projectId, host: site.host, shape: describePath(site), learns };
    const isByStructure = active !== undefined && active.stored.document.signature !== null;
    if (!learns || (active !== undefined && !isTaught(active)))
      return { template: this.#answer(active, place, page), candidates: [...tried, GENERIC_CANDIDATE], isByStructure };
    const found = await this.#evidence.find(place, page.url);
    if (found !== undefined && 'evidence' in found) {
      const candidates = [...tried, toEvidenceCandidate(found), GENERIC_CANDIDATE];
      return { template: this.#answer(active, place, page, found), candidates, isByStructure };
    }
    return {
      template: this.#answer(active, place, page),
      candidates: [...tried, GENERIC_CANDIDATE],
      isByStructure,
      ...(found === undefined ? {} : { generate: `${found.known} other pages of ${describe(found.place)} are known` }),
    };
  }

  async generate(page: UnstoredPage, budget: StageBudget): Promise<ExtractionTemplate | undefined> {
    const site = locateSite(page.url);
    if (site === undefined) return undefined;
    const place = { projectId: page.projectId, host: site.host, shape: describePath(site), learns: true };
    const built = await this.#evidence.build(place, page.url, budget);
    if (built === undefined) return undefined;
    const active = findActive(scoreAll(await this.#cache.list(site, page.projectId), site, page.html));
    return this.#answer(active, place, page, built);
  }

  #answer(
    template: LiveTemplate | undefined,
    place: PageOfSite,
    page: UnstoredPage,
    built?: BuiltEvidence,
  ): ExtractionTemplate {
    return template === undefined ? this.#extractOn(place, page, built) : this.#obey(template, place, page, built);
  }

  forget(): void {
    this.#evidence.clear();
    this.#learning.clear();
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

  /** Applies a template; marks of a site are weighed with its evidence, and the page leaves notes. */
  #obey(template: LiveTemplate, place: PageOfSite, page: UnstoredPage, built?: BuiltEvidence): ExtractionTemplate {
    const site = isTaught(template) ? this.#siteInput(place, page, built) : undefined;
    return {
      id: template.name,
      apply: async (source, budget) => {
        const applied = await this.#options.worker.apply({ ...source, ...site }, template, budget);
        const { fields, selectors, reasons, faults, missed } = applied;
        const extraction = this.#takeNotes(place, source, applied.extraction);
        if (faults.length > 0) return this.#fallBack(template, extraction, faults);
        const unfit = this.#findFaults(extraction, source.url);
        if (unfit.length > 0) {
          const generic = await this.#generic.apply(source, budget);
          return this.#fallBack(template, generic.extraction, unfit);
        }
        if (missed.includes(TAUGHT_RULE)) {
          const isOfOtherKind = !hasRules(template);
          if (template.stored.document.taught?.shapes.includes(place.shape))
            this.#count(template, { failed: isOfOtherKind, missed });
          const fallback = `${template.name} does not match: ${reasons['main_text']}`;
          if (isOfOtherKind) return { extraction, templateId: built?.name ?? GENERIC_TEMPLATE_ID, fallback };
        } else this.#count(template, { failed: false, missed });
        const vanished = this.#health.findVanished(template.stored, missed);
        const moved = Object.fromEntries(vanished.map((name) => [name, MOVED]));
        const isReplaced = vanished.some((name) => Object.hasOwn(EXTRACTED_FIELDS, name));
        const generic = isReplaced ? (await this.#generic.apply(source, budget)).extraction : undefined;
        return {
          extraction: generic === undefined ? extraction : replaceFields(extraction, generic, vanished),
          templateId: template.name,
          sources: { mainText: selectors['main_text'] ?? null, fromGeneric: { ...reasons, ...moved } },
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
  #extractOn(place: PageOfSite, page: UnstoredPage, built?: BuiltEvidence): ExtractionTemplate {
    const known = {
      id: built?.name ?? GENERIC_TEMPLATE_ID,
      site: this.#siteInput(place, page, built),
      ...(built === undefined ? {} : { pages: built.pages }),
    };
    const template = createGenericTemplate(this.#options.extractor, known);
    return {
      ...template,
      apply: async (source, budget) => {
        const { extraction, ...outcome } = await template.apply(source, budget);
        return { ...outcome, extraction: this.#takeNotes(place, source, extraction) };
      },
    };
  }

  #siteInput(
    { host, learns }: PageOfSite,
    { favor = 'balanced', hidden_text }: UnstoredPage,
    built: BuiltEvidence | undefined,
  ): NonNullable<ExtractionTemplate['site']> {
    // Other options keep other blocks.
    const takeNotes = learns && favor === 'balanced' && hidden_text !== 'keep' && host.length <= MAX_HOST;
    return { takeNotes, siteEvidence: built?.evidence };
  }

  /** Stores the notes of an extraction after the response, and returns the rest. */
  #takeNotes(place: SitePlace, page: PageSource, { notes, ...answer }: PageExtraction): PageExtraction {
    // A wall or an error page shows nothing of the site.
    if (notes !== undefined && answer.warnings.every(({ code }) => code.startsWith('continues_')))
      this.#after(() => this.#store(place, page, notes));
    return answer;
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

/** Of evidence: the host fits, the structure is not compared. */
const EVIDENCE_SCORE = 0.5;

function toEvidenceCandidate({ place, name, pages }: BuiltEvidence): TemplateCandidate {
  const reason = `evidence of ${pages} other pages of ${describe(place)}`;
  return { templateId: name, score: EVIDENCE_SCORE, reason };
}

function describe({ host, shape }: EvidencePlace): string {
  return `${host}${shape ?? ''}`;
}

interface Scored {
  readonly template: LiveTemplate;
  readonly score: number;
  readonly reason: string;
}

function findActive(scored: readonly Scored[]): LiveTemplate | undefined {
  return scored.find(({ score, template }) => score > 0 && template.stored.state === 'active')?.template;
}

/** Whether marks decide on the main text, with evidence of the site. */
function isTaught({ stored: { document } }: LiveTemplate): boolean {
  return document.taught !== undefined && document.content === null;
}

/** Whether a template has rules beside its marks. */
function hasRules({ stored: { document } }: LiveTemplate): boolean {
  return Object.keys(document.fields).length > 0 || document.custom.length > 0;
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
