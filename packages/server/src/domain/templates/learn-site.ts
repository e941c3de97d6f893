import { TEMPLATE_LIMITS, type TemplateDocument, type TemplateState } from '@winnow/contract';
import { computeSignature, scoreTemplate } from '@winnow/extract/matching';
import type { LearnResult } from '@winnow/extract/templates';
import { newId } from '../shared/new-id.ts';
import type { ExtractInput } from '../extraction/extraction-ports.ts';
import { keepLease } from '../shared/leases.ts';
import type { StageBudget } from '../shared/ports.ts';
import type { HealthRecorder } from './health-recorder.ts';
import { findDomain, locateSite } from './site-address.ts';
import { toLive } from './template-cache.ts';
import {
  type LearningPage,
  type LearningRepository,
  type LearningSite,
  NEW_HEALTH,
  type PageReader,
  type SeenPage,
  type StoredTemplate,
  type TemplateRepository,
  type TemplateWorker,
  nameVersion,
} from './template-ports.ts';

export interface LearnSiteDeps {
  readonly templates: TemplateRepository;
  readonly learning: LearningRepository;
  readonly worker: TemplateWorker;
  readonly pages: PageReader;
  readonly health: Pick<HealthRecorder, 'isSuspended'>;
  readonly owner: string;
}

export interface Learning {
  readonly outcome: 'busy' | 'learned' | 'restored' | 'nothing';
  readonly template?: StoredTemplate;
  readonly reason: string;
}

/** In pages; each failure multiplies the number. */
export const FIRST_ATTEMPT = 3;
const WAIT_FACTOR = 1.5;
/** Learning stops for a host that needs more pages. */
export const MAX_KEPT_PAGES = 40;
const MAX_PAGES = 16;
/** Sites contain pages of other kinds. */
const MAX_FAILED_SHARE = 0.25;
/** Delay after a learning process died. */
const LEASE_MS = 30_000;

/**
 * Learns a template from pages of the project that have none. A lease permits one attempt at a time. Tries former versions
 * first, in case the site restored its old markup.
 */
export async function learnSite(deps: LearnSiteDeps, site: LearningSite, budget: StageBudget): Promise<Learning> {
  const { learning, owner } = deps;
  const state = await learning.lease(site, owner, LEASE_MS);
  if (state === undefined) return { outcome: 'busy', reason: 'too early, or another process is learning this host' };
  // A concurrent attempt would be harmless.
  const stopRenewing = keepLease(
    LEASE_MS,
    () => learning.renew(site, owner, LEASE_MS),
    () => undefined,
  );
  let used: readonly string[] = [];
  let next = Math.ceil(state.pages * WAIT_FACTOR);
  try {
    const read = await readPages(deps, site);
    const uncovered = await dropCovered(deps, site, read, budget);
    const { seen, retired } = await dropRetired(deps, site, uncovered, budget);
    used = read.filter((one) => !seen.includes(one)).map(({ page }) => page.url);
    if (seen.length < FIRST_ATTEMPT) {
      next = FIRST_ATTEMPT;
      const reason = retired && `${nameVersion(retired)}, which holds on the pages, was retired by hand`;
      return { outcome: 'nothing', reason: reason ?? 'too few pages without a template remain' };
    }
    const result = (await restoreFormer(deps, site, seen, budget)) ?? (await learnNew(deps, site, seen, budget));
    if (result.outcome === 'learned' || result.outcome === 'restored') {
      used = read.map(({ page }) => page.url);
      next = FIRST_ATTEMPT;
    }
    return result;
  } finally {
    stopRenewing();
    await learning.release(site, owner, next, used);
  }
}

interface ReadPage {
  readonly page: SeenPage;
  readonly source: LearningPage;
}

async function readPages(deps: LearnSiteDeps, site: LearningSite): Promise<ReadPage[]> {
  const read: ReadPage[] = [];
  for (const page of await deps.learning.listPages(site, MAX_PAGES)) {
    const source = await deps.pages.read(page);
    if (source !== undefined) read.push({ page, source });
  }
  return read;
}

/** Drops pages that a template matches by now, and tests candidates on them. */
async function dropCovered(
  deps: LearnSiteDeps,
  site: LearningSite,
  seen: readonly ReadPage[],
  budget: StageBudget,
): Promise<ReadPage[]> {
  const found = await deps.templates.findByHosts([site.host], ['active', 'candidate'], site.projectId);
  const live = found.filter((stored) => !deps.health.isSuspended(stored, site.projectId));
  if (live.length === 0) return [...seen];
  const open: ReadPage[] = [];
  for (const one of seen) {
    const stored = live.find((template) => fits(template, one.source));
    if (stored === undefined) open.push(one);
    else if (stored.state === 'candidate') await proveCandidate(deps, stored, one.page.domId, one.source, budget);
  }
  return open;
}

function fits({ document }: StoredTemplate, { url, html }: LearningPage): boolean {
  const site = locateSite(url);
  return site !== undefined && scoreTemplate(document, site, () => computeSignature(html)).score > 0;
}

/**
 * Drops pages that a manually retired template fits, so that it is not learned again before a person activates or
 * imports a version.
 */
async function dropRetired(
  deps: LearnSiteDeps,
  site: LearningSite,
  uncovered: readonly ReadPage[],
  budget: StageBudget,
): Promise<{ readonly seen: readonly ReadPage[]; readonly retired?: StoredTemplate }> {
  const retired = await findRetiredByHand(deps.templates, site);
  const [first] = retired;
  if (first === undefined) return { seen: uncovered };
  const seen: ReadPage[] = [];
  for (const one of uncovered) if (!(await holdsAny(deps, retired, one.source, budget))) seen.push(one);
  return seen.length === uncovered.length ? { seen } : { seen, retired: first };
}

async function findRetiredByHand(templates: TemplateRepository, site: LearningSite): Promise<StoredTemplate[]> {
  const retired = (await templates.findByHosts([site.host], ['retired'], site.projectId)).filter((one) => one.byHand);
  const held: StoredTemplate[] = [];
  for (const stored of retired) {
    const versions = await templates.listVersions(stored.id);
    const latest = Math.max(...versions.map(({ changedAt }) => changedAt.getTime()));
    const isLast = (one: StoredTemplate): boolean => one.changedAt.getTime() === latest && one.byHand;
    const wasLearned = versions.some(({ document }) => document.provenance.source === 'induced');
    if (wasLearned && versions.every(({ state }) => state === 'retired') && versions.some(isLast)) held.push(stored);
  }
  return held;
}

async function holdsAny(
  deps: LearnSiteDeps,
  templates: readonly StoredTemplate[],
  page: LearningPage,
  budget: StageBudget,
): Promise<boolean> {
  const fitting = templates.filter((stored) => fits(stored, page));
  for (const stored of fitting) {
    const { faults } = await deps.worker.apply(toInput(page), toLive(stored), budget);
    if (faults.length === 0) return true;
  }
  return false;
}

/** Tries a candidate on a page. A failing shared candidate stays, since other projects' pages may differ. */
export async function proveCandidate(
  deps: Pick<LearnSiteDeps, 'templates' | 'worker'>,
  stored: StoredTemplate,
  domId: string,
  page: LearningPage,
  budget: StageBudget,
): Promise<boolean> {
  if (stored.document.provenance.pages?.includes(domId) === true) return true;
  const { judgement } = await deps.worker.try(toInput(page), toLive(stored), budget);
  const verdict = judgement.ok ? 'passed' : 'failed';
  const note = `${verdict} on a page outside the training samples: ${judgement.reason}`;
  if (judgement.ok) await deps.templates.activate(stored, ['candidate'], note);
  else if (stored.projectId !== null) await deps.templates.setState(stored, ['candidate'], 'retired', note);
  return judgement.ok;
}

const MAX_FORMER = 3;

async function restoreFormer(
  deps: LearnSiteDeps,
  site: LearningSite,
  seen: readonly ReadPage[],
  budget: StageBudget,
): Promise<Learning | undefined> {
  const former = await deps.templates.findByHosts([site.host], ['suspect', 'retired'], site.projectId);
  const induced = former.filter(
    (one) => one.projectId === site.projectId && one.document.provenance.source === 'induced' && !one.byHand,
  );
  for (const stored of induced.toSorted((a, b) => b.changedAt.getTime() - a.changedAt.getTime()).slice(0, MAX_FORMER)) {
    if (!(await holdsOn(deps, stored, seen.slice(-FIRST_ATTEMPT), budget))) continue;
    const note = 'restored: it matches the newest pages again';
    if (!(await deps.templates.activate(stored, ['suspect', 'retired'], note))) continue;
    return { outcome: 'restored', template: stored, reason: note };
  }
  return undefined;
}

async function holdsOn(
  deps: LearnSiteDeps,
  stored: StoredTemplate,
  seen: readonly ReadPage[],
  budget: StageBudget,
): Promise<boolean> {
  for (const { source } of seen) {
    const tried = await deps.worker.try(toInput(source), toLive(stored), budget);
    if (!tried.judgement.ok || tried.gaps.length > 0) return false;
  }
  return true;
}

async function learnNew(
  deps: LearnSiteDeps,
  site: LearningSite,
  seen: readonly ReadPage[],
  budget: StageBudget,
): Promise<Learning> {
  const learned = await deps.worker.learn(
    seen.map(({ source }) => source),
    budget,
  );
  if (!learned.ok) return { outcome: 'nothing', reason: learned.reason };
  const failed = learned.trials.filter((trial) => !trial.ok);
  if (failed.length > learned.trials.length * MAX_FAILED_SHARE) {
    return { outcome: 'nothing', reason: `on pages outside the training samples: ${failed[0]?.reason ?? ''}` };
  }
  const stored = await nameTemplate(deps.templates, site, toDocument(learned, seen), learned);
  if (JSON.stringify(stored.document).length > TEMPLATE_LIMITS.maxBytes)
    return { outcome: 'nothing', reason: 'the template is too large' };
  if (!(await deps.templates.insert(stored))) return { outcome: 'busy', reason: 'another process stored the version' };
  return { outcome: 'learned', template: stored, reason: stored.note };
}

function toDocument(learned: Extract<LearnResult, { ok: true }>, seen: readonly ReadPage[]): TemplateDocument {
  const { template } = learned;
  return {
    ...structuredClone(template),
    format: 1,
    provenance: {
      source: 'induced',
      method: 'induction 1',
      created_at: new Date().toISOString(),
      pages: learned.learnedFrom.map((index) => seen[index]!.page.domId),
    },
  } as TemplateDocument;
}

async function nameTemplate(
  templates: TemplateRepository,
  site: LearningSite,
  document: TemplateDocument,
  learned: Extract<LearnResult, { ok: true }>,
): Promise<StoredTemplate> {
  const suspects = await templates.findByHosts([site.host], ['suspect'], site.projectId);
  // Shared templates are not replaced.
  const drifted = suspects.find((one) => one.projectId === site.projectId);
  const versions = drifted === undefined ? [] : await templates.listVersions(drifted.id);
  const now = new Date();
  const passed = learned.trials.filter((trial) => trial.ok).length;
  const state: TemplateState = passed > 0 ? 'active' : 'candidate';
  return {
    id: drifted?.id ?? newId('tpl'),
    version: Math.max(0, ...versions.map((one) => one.version)) + 1,
    state,
    projectId: site.projectId,
    domain: findDomain(site.host),
    document,
    health: { ...NEW_HEALTH, compared: learned.trials.length, disagreed: learned.trials.length - passed },
    note:
      passed > 0
        ? `passed on ${passed} of ${learned.trials.length} pages outside the training samples`
        : 'waits for a page outside the training samples',
    byHand: false,
    createdAt: now,
    changedAt: now,
  };
}

export function toInput(page: LearningPage): ExtractInput {
  return { html: page.html, url: page.url, contentLanguage: page.contentLanguage ?? null, formats: [] };
}
