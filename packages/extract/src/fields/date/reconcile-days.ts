import { PAGE, type Candidate } from '../shared/candidate.ts';
import type { PageFacts } from '../../page/page-facts.ts';

/**
 * Gives statements of one instant the same day: pages show their own zone, heads often UTC. The head's day wins, in
 * discussions the visible day.
 */
export function joinInstants(candidates: readonly Candidate[], isDiscussion: boolean): Candidate[] {
  const byMinute = new Map<number, Candidate>();
  for (const candidate of candidates) {
    const minute = readMinute(candidate.value);
    const known = minute === null ? undefined : byMinute.get(minute);
    if (minute === null) continue;
    const isPreferred = (candidate.family === PAGE) === isDiscussion;
    if (known === undefined || (isPreferred && (known.family === PAGE) !== isDiscussion))
      byMinute.set(minute, candidate);
  }
  return candidates.map((candidate) => {
    const minute = readMinute(candidate.value);
    const value = minute === null ? candidate.value : byMinute.get(minute)!.value;
    return value.slice(0, 10) === candidate.value.slice(0, 10) ? candidate : { ...candidate, value };
  });
}

const DAY_MS = 86_400_000;
export const IN_UTC: RegExp = /(?:Z|[+-]00:00)$/;

/** Moves a UTC moment to the day before or after if a zone-less day or the address has that day. */
export function takeLocalDays(candidates: readonly Candidate[]): readonly Candidate[] {
  const locals = candidates.filter(({ value, weight }) => value.length <= 19 && weight >= LEAST_LOCAL);
  if (locals.length === 0) return candidates;
  return candidates.map((candidate) => {
    if (!IN_UTC.test(candidate.value)) return candidate;
    const day = candidate.value.slice(0, 10);
    if (locals.some(({ value }) => value.startsWith(day))) return candidate;
    const local = locals.find(({ value }) => Math.abs(Date.parse(value.slice(0, 10)) - Date.parse(day)) === DAY_MS);
    return local === undefined ? candidate : { ...candidate, value: local.value };
  });
}

const LEAST_LOCAL = 0.5;

/** Treats later visible days as updates if OpenGraph or the page states the first publication. */
export function capUpdates(candidates: readonly Candidate[]): readonly Candidate[] {
  const stated = candidates.find(
    ({ source }) => source === 'meta:article:published_time' || source.startsWith(FIRST_PUBLISHED),
  );
  const day = stated?.value.slice(0, 10);
  if (day === undefined) return candidates;
  return candidates.map((candidate) =>
    candidate.family === PAGE && candidate.value.slice(0, 10) > day
      ? { ...candidate, weight: Math.min(candidate.weight, MAX_UPDATE) }
      : candidate,
  );
}

/** Source prefix of a day labelled as the first publication. */
export const FIRST_PUBLISHED = 'first-published:';

const MAX_UPDATE = 0.8;

const LEAST_ROWS = 4;
const BEFORE_TITLE = 40;
const AFTER_TITLE = 120;

/** Removes days in rows of a list of other pages. */
export function dropRows(facts: PageFacts, candidates: readonly Candidate[]): readonly Candidate[] {
  if (facts.isDiscussion || facts.titleNode < 0) return candidates;
  const daysByMark = new Map<string, Set<string>>();
  for (const { source, value, node } of candidates) {
    if (node === undefined) continue;
    const mark = readMark(source);
    const days = daysByMark.get(mark);
    if (days === undefined) daysByMark.set(mark, new Set([value.slice(0, 10)]));
    else days.add(value.slice(0, 10));
  }
  return candidates.filter(({ source, node }) => {
    if (node === undefined || (daysByMark.get(readMark(source))?.size ?? 0) < LEAST_ROWS) return true;
    return node >= facts.titleNode - BEFORE_TITLE && node <= facts.titleNode + AFTER_TITLE;
  });
}

function readMark(source: string): string {
  return source.startsWith('class:') ? source : source.split(':', 1)[0];
}

/**
 * Exchanges day and month if another statement or the month of the address confirms it: "03/10/2024" beside
 * 2024-10-03 or in `/2024/10/`.
 */
export function settleOrder(
  candidates: readonly Candidate[],
  ambiguous: ReadonlySet<Candidate>,
  month: string | null,
): Candidate[] {
  const clear = new Set(candidates.filter((one) => !ambiguous.has(one)).map(({ value }) => value.slice(0, 10)));
  const isConfirmed = (value: string): boolean =>
    clear.has(value.slice(0, 10)) || (month !== null && value.startsWith(month));
  return candidates.map((candidate) => {
    const exchanged = exchangeParts(candidate.value);
    const isWrong = ambiguous.has(candidate) && !isConfirmed(candidate.value) && isConfirmed(exchanged);
    return isWrong ? { ...candidate, value: exchanged } : candidate;
  });
}

const OTHER_MONTH_FACTOR = 0.4;

/** Lowers the weight of visible days that are not in the month of the address. */
export function distrustOtherMonths(candidates: readonly Candidate[], month: string): Candidate[] {
  return candidates.map((candidate) =>
    candidate.family === PAGE && !candidate.value.startsWith(month)
      ? { ...candidate, weight: candidate.weight * OTHER_MONTH_FACTOR }
      : candidate,
  );
}

export function exchangeParts(value: string): string {
  return `${value.slice(0, 5)}${value.slice(8, 10)}-${value.slice(5, 7)}${value.slice(10)}`;
}

function readMinute(value: string): number | null {
  return value.length > 19 ? Math.floor(Date.parse(value) / 60_000) : null;
}
