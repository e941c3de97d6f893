import { WriteBehind } from '../shared/write-behind.ts';
import {
  type FilledFields,
  type PageCounts,
  type StoredTemplate,
  type TemplateHealth,
  type TemplateRepository,
  nameVersion,
} from './template-ports.ts';

export interface PageOutcome {
  /** The generic extractor answered. */
  readonly failed: boolean;
  /** Rules whose selectors found nothing. */
  readonly missed: readonly string[];
}

const FLUSH_AFTER = 20;

const FLUSH_MS = 5000;

const MAX_COUNTED = 2_000;

interface Counting {
  readonly template: StoredTemplate;
  health: TemplateHealth;
  waiting: PageCounts;
}

const NO_PAGES: PageCounts = { served: 0, failed: 0 };

/** Counts the pages of templates, and notices pages that no longer fit. */
export class HealthRecorder {
  readonly #repository: TemplateRepository;
  readonly #counting = new Map<string, Counting>();
  readonly #writes: WriteBehind;

  /** @param onError of background writes */
  constructor(repository: TemplateRepository, onError: (error: unknown) => void, flushMs: number = FLUSH_MS) {
    this.#repository = repository;
    this.#writes = new WriteBehind(() => this.#writeAll(), { delayMs: flushMs, onError });
  }

  /** Finds values that a page lacks and the template's pages usually have, if the last pages lack such values too. */
  findVanished(template: StoredTemplate, missed: readonly string[]): string[] {
    const { health } = this.#count(template);
    return isDrifting(health) ? missed.filter((name) => isExpected(template, health.filled, name)) : [];
  }

  /** True when the page reveals that the site has changed. */
  async record(template: StoredTemplate, outcome: PageOutcome): Promise<boolean> {
    const name = nameVersion(template);
    const counting = this.#count(template);
    this.#counting.set(name, counting);
    const before = counting.health;
    const bad = outcome.failed || outcome.missed.some((rule) => isExpected(template, before.filled, rule));
    const { served, failed } = before;
    counting.health = {
      served: served + (outcome.failed ? 0 : 1),
      failed: failed + (outcome.failed ? 1 : 0),
      drift: stepDrift(before.drift, bad),
      filled: outcome.failed ? before.filled : fill(before.filled, listRules(template), outcome.missed),
    };
    counting.waiting = {
      served: counting.waiting.served + (outcome.failed ? 0 : 1),
      failed: counting.waiting.failed + (outcome.failed ? 1 : 0),
    };
    if (bad || counting.waiting.served >= FLUSH_AFTER) await this.#flush(name, counting);
    else this.#writes.schedule();
    return isDrifting(counting.health) && !isDrifting(before);
  }

  flush(): Promise<void> {
    return this.#writes.flush();
  }

  async #writeAll(): Promise<void> {
    for (const [name, counting] of this.#counting) await this.#flush(name, counting);
  }

  /** Returns the counts; a changed state starts them from the stored ones. */
  #count(template: StoredTemplate): Counting {
    const counting = this.#counting.get(nameVersion(template));
    if (counting !== undefined && counting.template.changedAt >= template.changedAt) return counting;
    const { served, failed } = counting?.waiting ?? NO_PAGES;
    const { health } = template;
    const total = { ...health, served: health.served + served, failed: health.failed + failed };
    return { template, health: total, waiting: { served, failed } };
  }

  async #flush(name: string, counting: Counting): Promise<void> {
    const { waiting, template, health } = counting;
    if (waiting.served + waiting.failed === 0) return;
    counting.waiting = NO_PAGES;
    if (this.#counting.size > MAX_COUNTED) this.#counting.delete(name);
    await this.#repository.addHealth(template, { ...health, ...waiting });
  }
}

/** Marks decide on the main text; see `extractWithTemplate`. */
export const TAUGHT_RULE = 'taught';

/** Lists the parts that a template has selectors or marks for. */
function listRules({ document }: StoredTemplate): string[] {
  return [
    ...(document.content === null ? [] : ['main_text']),
    ...(document.taught === undefined ? [] : [TAUGHT_RULE]),
    ...Object.entries(document.fields).flatMap(([name, rule]) => (rule?.selectors.length ? [name] : [])),
    ...document.custom.map(({ name }) => `fields.${name}`),
  ];
}

const LEAST_PAGES = 20;
const USUAL_SHARE = 0.95;

function fill(filled: FilledFields, rules: readonly string[], missed: readonly string[]): FilledFields {
  const pages = filled.pages + 1;
  const counts = rules.map((name) => [name, (filled.fields[name] ?? 0) + (missed.includes(name) ? 0 : 1)] as const);
  const isUsual = ([name, count]: readonly [string, number]): boolean =>
    filled.usual.includes(name) || (pages >= LEAST_PAGES && count >= USUAL_SHARE * pages);
  return { pages, fields: Object.fromEntries(counts), usual: counts.filter(isUsual).map(([name]) => name) };
}

function isExpected({ document }: StoredTemplate, { usual }: FilledFields, name: string): boolean {
  return usual.includes(name) || name === TAUGHT_RULE || document.invariants.required.some((one) => one === name);
}

/**
 * Detects a change with a cumulative sum of log-likelihood ratios (Page, "Continuous inspection schemes", 1954). It never
 * falls below zero, so that a long good run does not hide a change, and has an upper limit, so that a few good pages end it.
 */

/** Probability of a bad page on an unchanged and on a changed site. */
const BAD = [0.05, 0.5] as const;

/** Two bad pages in a row, or slightly more among good ones. */
const LIMIT = 2 * weigh(true) - 0.01;

function weigh(bad: boolean): number {
  const [well, changed] = BAD.map((share) => (bad ? share : 1 - share)) as [number, number];
  return Math.log(changed / well);
}

function stepDrift(drift: number, bad: boolean): number {
  return Math.min(2 * LIMIT, Math.max(0, drift + weigh(bad)));
}

/** Whether the last pages failed or lack values that the template's pages usually have. */
export function isDrifting({ drift }: Pick<TemplateHealth, 'drift'>): boolean {
  return drift >= LIMIT;
}
