import { AppError } from '../shared/errors.ts';

/** A tenant of the queue. */
export interface Party {
  /** The key; empty for background work. */
  readonly lane: string;
  /** The project, whose lanes share its slots. */
  readonly group: string;
}

export interface FairQueueOptions {
  /** Concurrent slots. */
  readonly places: number;
  /** Slots per group. Default: all. */
  readonly placesPerGroup?: number;
  /** Dynamic threshold: a lane may hold at most this multiple of the free slots. Default: unlimited. */
  readonly greed?: number;
  /** Whether a lane may use all slots while no other has asked lately. Default: no. */
  readonly allWhenAlone?: boolean;
  readonly maxWaiting: number;
  /** Name for messages, for example `the service`. */
  readonly name: string;
  /** Monotonic clock in milliseconds. Default `performance.now`. */
  readonly now?: () => number;
}

export interface Ask extends Party {
  /** Maximum wait in milliseconds. Default: unlimited. */
  readonly budgetMs?: number;
  /** Aborts the wait. */
  readonly signal: AbortSignal;
}

/** A slot, which must be released. */
export interface Place {
  readonly waitedMs: number;
  /** Releases the slot. Idempotent. */
  release(): void;
}

export interface QueueState {
  readonly running: number;
  readonly waiting: number;
  /** Estimated wait of a newcomer with an empty lane. */
  readonly expectedWaitMs: number;
}

interface Waiter {
  readonly ask: Ask;
  readonly since: number;
  readonly admit: (place: Place) => void;
  readonly refuse: (error: unknown) => void;
  readonly stopWatching: () => void;
}

interface Share {
  running: number;
  /** Turn of the last service, which breaks ties. */
  servedAt: number;
}

interface Asked {
  readonly lane: string;
  readonly at: number;
}

/** Time for which a lane counts as active after asking. */
const ABOUT_MS = 10_000;
/** Weight of the newest duration in the mean. */
const SMOOTHING = 0.2;
const LONGEST_RETRY_AFTER_S = 60;

/**
 * A fair queue for a limited number of slots. A free slot goes to the group, then the lane with the fewest, then to the
 * least recently served. A full queue drops from the longest lane. `greed` keeps slots free for newcomers (dynamic
 * thresholds of Choudhury and Hahne, 1998).
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #now: () => number;
  readonly #lanes = new Map<string, Waiter[]>();
  readonly #laneShares = new Map<string, Share>();
  readonly #groupShares = new Map<string, Share>();
  #lastAsked: Asked | undefined;
  #lastAskedBefore: Asked | undefined;
  #running = 0;
  /** Sum of the start times of held slots. */
  #takenAt = 0;
  #waiting = 0;
  #turns = 0;
  /** Mean duration of held slots. */
  #meanMs = 0;
  #closedFor: AppError | undefined;

  constructor(options: FairQueueOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /**
   * Resolves with a slot.
   * @throws {AppError} `overloaded` for a full queue or an actual or expected wait over the budget
   */
  async enter(ask: Ask): Promise<Place> {
    if (ask.signal.aborted) throw ask.signal.reason;
    if (this.#closedFor !== undefined) throw this.#closedFor;
    this.#noteAsk(ask.lane);
    if (this.#waiting === 0 && this.#isFree(ask)) return this.#take(ask, 0);
    const expected = this.#expectedWait(ask);
    if (ask.budgetMs !== undefined && expected > ask.budgetMs) {
      throw this.#overloaded(ask, `${this.#options.name} is busy: the wait would be about ${seconds(expected)} s`);
    }
    if (this.#waiting >= this.#options.maxWaiting) this.#makeRoom(ask);
    return this.#wait(ask);
  }

  state(): QueueState {
    return { running: this.#running, waiting: this.#waiting, expectedWaitMs: this.#expectedWait() };
  }

  /** Rejects waiting and new requests; running work continues. */
  close(reason: AppError): void {
    this.#closedFor = reason;
    for (const waiter of [...this.#lanes.values()].flat()) this.#refuse(waiter, reason);
  }

  #wait(ask: Ask): Promise<Place> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => this.#refuse(waiter, ask.signal.reason);
      const timer =
        ask.budgetMs === undefined || !Number.isFinite(ask.budgetMs)
          ? undefined
          : setTimeout(
              () => this.#refuse(waiter, this.#overloaded(ask, `${this.#options.name} is busy`)),
              ask.budgetMs,
            );
      const waiter: Waiter = {
        ask,
        since: this.#now(),
        admit: resolve,
        refuse: reject,
        stopWatching: () => {
          clearTimeout(timer);
          ask.signal.removeEventListener('abort', onAbort);
        },
      };
      ask.signal.addEventListener('abort', onAbort, { once: true });
      const lane = this.#lanes.get(ask.lane);
      if (lane === undefined) this.#lanes.set(ask.lane, [waiter]);
      else lane.push(waiter);
      this.#waiting += 1;
      // // Slots may be free while requests wait, if their group is at its limit.
      this.#admitNext();
    });
  }

  /** Drops the last request of the longest lane, or rejects the newcomer. */
  #makeRoom(ask: Ask): void {
    const [longest] = [...this.#lanes.values()].toSorted((a, b) => b.length - a.length);
    const own = this.#lanes.get(ask.lane)?.length ?? 0;
    const last = longest?.at(-1);
    const error = this.#overloaded(ask, `${this.#options.name} is full: too many requests wait already`);
    if (longest === undefined || last === undefined || longest.length <= own + 1) throw error;
    this.#refuse(last, error);
  }

  #take(ask: Ask, waitedMs: number): Place {
    const lane = takeShare(this.#laneShares, ask.lane);
    const group = takeShare(this.#groupShares, ask.group);
    this.#turns += 1;
    this.#running += 1;
    lane.running += 1;
    group.running += 1;
    lane.servedAt = this.#turns;
    const startedAt = this.#now();
    this.#takenAt += startedAt;
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      this.#running -= 1;
      this.#takenAt -= startedAt;
      lane.running -= 1;
      group.running -= 1;
      this.#learnDuration(this.#now() - startedAt);
      this.#admitNext();
      this.#forgetIdle(ask);
    };
    return { waitedMs: Math.round(waitedMs * 10) / 10, release };
  }

  #admitNext(): void {
    while (this.#waiting > 0 && this.#running < this.#options.places) {
      const waiter = this.#choose();
      if (waiter === undefined) return;
      this.#remove(waiter);
      waiter.admit(this.#take(waiter.ask, this.#now() - waiter.since));
    }
  }

  #choose(): Waiter | undefined {
    const rank = ({ ask }: Waiter): number[] => {
      const [group, lane] = [this.#groupShares.get(ask.group), this.#laneShares.get(ask.lane)];
      return [group?.running ?? 0, lane?.running ?? 0, lane?.servedAt ?? 0];
    };
    return [...this.#lanes.values()]
      .flatMap((lane) => lane[0] ?? [])
      .filter(({ ask }) => this.#isFree(ask))
      .map((waiter) => ({ waiter, rank: rank(waiter) }))
      .toSorted((a, b) => compareRanks(a.rank, b.rank))[0]?.waiter;
  }

  #isFree({ lane, group }: Party): boolean {
    const { places, placesPerGroup = places, greed = Infinity, allWhenAlone = false } = this.#options;
    const free = places - this.#running;
    if (free <= 0 || (this.#groupShares.get(group)?.running ?? 0) >= placesPerGroup) return false;
    return (this.#laneShares.get(lane)?.running ?? 0) < greed * free || (allWhenAlone && this.#isAlone(lane));
  }

  #noteAsk(lane: string): void {
    if (lane === '') return;
    if (this.#lastAsked?.lane !== lane) this.#lastAskedBefore = this.#lastAsked;
    this.#lastAsked = { lane, at: this.#now() };
  }

  #isAlone(lane: string): boolean {
    const other = this.#lastAsked?.lane === lane ? this.#lastAskedBefore : this.#lastAsked;
    return other === undefined || this.#now() - other.at > ABOUT_MS;
  }

  #refuse(waiter: Waiter, reason: unknown): void {
    if (!this.#remove(waiter)) return;
    waiter.refuse(reason);
    this.#forgetIdle(waiter.ask);
  }

  #remove(waiter: Waiter): boolean {
    const lane = this.#lanes.get(waiter.ask.lane) ?? [];
    const index = lane.indexOf(waiter);
    if (index === -1) return false;
    lane.splice(index, 1);
    if (lane.length === 0) this.#lanes.delete(waiter.ask.lane);
    this.#waiting -= 1;
    waiter.stopWatching();
    return true;
  }

  /**
   * Estimated wait in milliseconds, assuming round-robin across tenants; for a tenant at its own limit only its lane
   * counts. Durations are the mean or, if longer, the age of running work.
   */
  #expectedWait(party?: Party): number {
    const own = (party && this.#lanes.get(party.lane)?.length) ?? 0;
    const heldMs = Math.max(this.#meanMs, this.#running === 0 ? 0 : this.#now() - this.#takenAt / this.#running);
    if (this.#running < this.#options.places) {
      if (party === undefined || this.#isFree(party)) return 0;
      const lane = this.#laneShares.get(party.lane)?.running ?? 0;
      const group = this.#groupShares.get(party.group)?.running ?? 0;
      return ((own + 1) * heldMs) / Math.max(1, lane || group);
    }
    const before = Math.min(this.#waiting, (own + 1) * (this.#lanes.size + 1) - 1);
    return ((before + 1) * heldMs) / this.#options.places;
  }

  #learnDuration(ms: number): void {
    this.#meanMs = this.#meanMs === 0 ? ms : this.#meanMs + SMOOTHING * (ms - this.#meanMs);
  }

  #overloaded(party: Party, message: string): AppError {
    const retryAfterSeconds = Math.min(LONGEST_RETRY_AFTER_S, Math.max(1, seconds(this.#expectedWait(party))));
    return new AppError('overloaded', message, { retryAfterSeconds });
  }

  #forgetIdle(ask: Party): void {
    if (this.#lanes.has(ask.lane)) return;
    if (this.#laneShares.get(ask.lane)?.running === 0) this.#laneShares.delete(ask.lane);
    if (this.#groupShares.get(ask.group)?.running === 0) this.#groupShares.delete(ask.group);
  }
}

function takeShare(shares: Map<string, Share>, name: string): Share {
  let share = shares.get(name);
  if (share === undefined) {
    share = { running: 0, servedAt: 0 };
    shares.set(name, share);
  }
  return share;
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1000);
}
