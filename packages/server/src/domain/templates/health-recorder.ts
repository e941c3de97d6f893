import { LRUCache } from 'lru-cache';
import { WriteBehind } from '../shared/write-behind.ts';
import {
  NEW_HEALTH,
  type StoredTemplate,
  type TemplateHealth,
  type TemplateRepository,
  nameVersion,
} from './template-ports.ts';

/** `incomplete`: the generic extractor supplied a field; `agreed`, `disagreed`: results of a comparison with it. */
export interface PageOutcome {
  readonly kind: 'served' | 'incomplete' | 'failed' | 'agreed' | 'disagreed';
}

const FLUSH_AFTER = 20;

const FLUSH_MS = 5000;

const MAX_SUSPENDED = 10_000;
const SUSPENDED_MS = 7 * 24 * 60 * 60 * 1000;

interface Counting {
  readonly template: StoredTemplate;
  health: TemplateHealth;
  waiting: TemplateHealth;
}

/**
 * Counts results and detects drift. A shared template is tested per project and suspended only for projects on whose
 * pages it fails.
 */
export class HealthRecorder {
  readonly #repository: TemplateRepository;
  readonly #counting = new Map<string, Counting>();
  readonly #writes: WriteBehind;
  /** A later manual change ends the suspension. */
  readonly #suspended = new LRUCache<string, number>({ max: MAX_SUSPENDED, ttl: SUSPENDED_MS });

  /** @param onError of background writes */
  constructor(repository: TemplateRepository, onError: (error: unknown) => void, flushMs: number = FLUSH_MS) {
    this.#repository = repository;
    this.#writes = new WriteBehind(() => this.#writeAll(), { delayMs: flushMs, onError });
  }

  getHealth(template: StoredTemplate, projectId: string): TemplateHealth {
    return this.#count(template, projectId).health;
  }

  isSuspended(template: StoredTemplate, projectId: string): boolean {
    return this.#suspended.get(nameCounting(template, projectId)) === template.changedAt.getTime();
  }

  suspend(template: StoredTemplate, projectId: string): void {
    this.#suspended.set(nameCounting(template, projectId), template.changedAt.getTime());
  }

  /** True when the page reveals a drift. */
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
    else this.#writes.schedule();
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

  flush(): Promise<void> {
    return this.#writes.flush();
  }

  async #writeAll(): Promise<void> {
    for (const [name, counting] of this.#counting) await this.#flush(name, counting);
  }

  /** Returns the counts; a changed state restarts the test but keeps pending writes. */
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
    // A drift alone may be older than a manual change.
    if (waiting.served + waiting.failed === 0) return;
    counting.waiting = { ...NEW_HEALTH, drift: counting.health.drift };
    if (this.#counting.size > 2_000) this.#counting.delete(name);
    // The drift of shared templates is per project and not stored.
    await this.#repository.addHealth(template, template.projectId === null ? { ...waiting, drift: 0 } : waiting);
  }
}

/** Returns the counting key: shared templates are counted per project. */
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

/**
 * Detects drift with a cumulative sum of log-likelihood ratios (Page, "Continuous inspection schemes", 1954). It never
 * falls below zero, so that a long good run does not hide a change.
 */

/** Probability on an unchanged and on a changed site. */
const SHARES = {
  failed: [0.05, 0.5],
  served: [0.95, 0.5],
  // The generic extractor errs more often.
  disagreed: [0.15, 0.9],
  agreed: [0.85, 0.1],
} as const;

type Observation = keyof typeof SHARES;

/** Two consecutive failures, three consecutive disagreements, or slightly more among good pages. */
const LIMIT = 2 * weigh('failed') - 0.01;

function weigh(observation: Observation): number {
  const [well, changed] = SHARES[observation];
  return Math.log(changed / well);
}

function stepDrift(drift: number, observation: Observation): number {
  return Math.max(0, drift + weigh(observation));
}

function isDrifted(drift: number): boolean {
  return drift >= LIMIT;
}
