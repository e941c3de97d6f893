import { RecentMap } from '../shared/recent-map.ts';
import { nameVersion } from './template-cache.ts';
import { isDrifted, stepDrift } from './sequential-test.ts';
import { NEW_HEALTH, type StoredTemplate, type TemplateHealth, type TemplateRepository } from './template-ports.ts';

/**
 * What one page showed. `incomplete`: served with a field that the generic extractor had to give; `agreed` and
 * `disagreed`: served and compared with the generic extractor.
 */
export interface PageOutcome {
  readonly kind: 'served' | 'incomplete' | 'failed' | 'agreed' | 'disagreed';
}

/** Good pages are written together, so that the row of a busy site is not written for each. */
const FLUSH_AFTER = 20;

/** Milliseconds after which the pages of a quiet site are written too. */
const FLUSH_MS = 5000;

/** Shared versions that projects have done without, and the milliseconds after which they are tried again. */
const MAX_SUSPENDED = 10_000;
const SUSPENDED_MS = 7 * 24 * 60 * 60 * 1000;

interface Counting {
  readonly template: StoredTemplate;
  health: TemplateHealth;
  waiting: TemplateHealth;
}

/**
 * Counts how served pages went, runs the sequential test, and says when a template has drifted. Of a shared template each
 * project's pages are tested for themselves: it goes out of service for the project on whose pages it does not hold, and
 * stays in service for all others.
 */
export class HealthRecorder {
  readonly #repository: TemplateRepository;
  readonly #counting = new Map<string, Counting>();
  readonly #onError: (error: unknown) => void;
  readonly #flushMs: number;
  #timer: NodeJS.Timeout | undefined;
  /** When the state of the suspended version was set: a later change by hand ends the suspension. */
  readonly #suspended = new RecentMap<string, number>(MAX_SUSPENDED, SUSPENDED_MS);

  /** @param onError hears of writes that no page waits for */
  constructor(repository: TemplateRepository, onError: (error: unknown) => void, flushMs: number = FLUSH_MS) {
    this.#repository = repository;
    this.#onError = onError;
    this.#flushMs = flushMs;
  }

  /** The health of a version as this process knows it, what was before its start included. */
  getHealth(template: StoredTemplate, projectId: string): TemplateHealth {
    return this.#count(template, projectId).health;
  }

  /** Whether the project does without a shared template that is in service for others. */
  isSuspended(template: StoredTemplate, projectId: string): boolean {
    return this.#suspended.get(nameCounting(template, projectId)) === template.changedAt.getTime();
  }

  /** Takes a shared template out of service for one project. */
  suspend(template: StoredTemplate, projectId: string): void {
    this.#suspended.set(nameCounting(template, projectId), template.changedAt.getTime());
  }

  /** True when this page of the project is the one that shows that the template has drifted; it then serves it no longer. */
  async record(template: StoredTemplate, outcome: PageOutcome, projectId: string): Promise<boolean> {
    const name = nameCounting(template, projectId);
    const counting = this.#count(template, projectId);
    this.#counting.set(name, counting);
    const bad = outcome.kind !== 'served' && outcome.kind !== 'agreed';
    const drift = stepDrift(counting.health.drift, outcome.kind === 'incomplete' ? 'failed' : outcome.kind);
    const change = toChange(outcome);
    counting.health = add(counting.health, change, drift);
    counting.waiting = add(counting.waiting, change, drift);
    if (bad || counting.waiting.served >= FLUSH_AFTER) await this.#flush(name, counting);
    else this.#flushLater();
    if (!isDrifted(drift)) return false;
    if (template.projectId === null) {
      const isNew = !this.isSuspended(template, projectId);
      this.suspend(template, projectId);
      return isNew;
    }
    const { served, failed } = counting.health;
    const note = `it has drifted: ${failed} of ${served + failed} pages failed; the last ones failed or lacked a field`;
    return this.#repository.setState(template, ['active'], 'suspect', note);
  }

  #flushLater(): void {
    this.#timer ??= setTimeout(() => void this.flush().catch(this.#onError), this.#flushMs).unref();
  }

  /** Writes what is still in memory. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [name, counting] of this.#counting) await this.#flush(name, counting);
  }

  /**
   * What is counted of a version. A change of its state since begins the sequential test anew, as the store has it;
   * what waits to be written goes on waiting.
   */
  #count(template: StoredTemplate, projectId: string): Counting {
    const counting = this.#counting.get(nameCounting(template, projectId));
    const drift = template.projectId === null ? 0 : template.health.drift;
    if (counting === undefined) return { template, health: { ...template.health, drift }, waiting: NEW_HEALTH };
    if (counting.template.changedAt >= template.changedAt) return counting;
    const { waiting } = counting;
    return { template, health: add(template.health, waiting, drift), waiting: { ...waiting, drift } };
  }

  async #flush(name: string, counting: Counting): Promise<void> {
    const { waiting, template } = counting;
    // The drift that goes with it may be one of before a change by hand: it is not written for nothing.
    if (waiting.served + waiting.failed === 0) return;
    counting.waiting = { ...NEW_HEALTH, drift: counting.health.drift };
    if (this.#counting.size > 2_000) this.#counting.delete(name);
    // The drift of a shared template is one a project, and none of its own.
    await this.#repository.addHealth(template, template.projectId === null ? { ...waiting, drift: 0 } : waiting);
  }
}

/** A project's own template is counted by its name, a shared one once for each project. */
function nameCounting(template: StoredTemplate, projectId: string): string {
  const name = nameVersion(template);
  return template.projectId === null ? `${projectId} ${name}` : name;
}

function toChange(outcome: PageOutcome): TemplateHealth {
  const compared = outcome.kind === 'agreed' || outcome.kind === 'disagreed';
  return {
    served: outcome.kind === 'failed' ? 0 : 1,
    failed: outcome.kind === 'failed' ? 1 : 0,
    compared: compared ? 1 : 0,
    disagreed: outcome.kind === 'disagreed' ? 1 : 0,
    drift: 0,
  };
}

function add(a: TemplateHealth, b: TemplateHealth, drift: number): TemplateHealth {
  return {
    served: a.served + b.served,
    failed: a.failed + b.failed,
    compared: a.compared + b.compared,
    disagreed: a.disagreed + b.disagreed,
    drift,
  };
}
