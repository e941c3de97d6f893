import { AppError } from '../shared/errors.ts';

/** On whose behalf something asks for a place. */
export interface Party {
  /** The key: parties of one lane come first come, first served. Empty: work that nobody asked for. */
  readonly lane: string;
  /** The project: lanes of one group share its places. */
  readonly group: string;
}

export interface FairQueueOptions {
  /** Places that may be taken at the same time. */
  readonly places: number;
  /** Places that one group may take at the same time. Default: all. */
  readonly placesPerGroup?: number;
  /**
   * How many times as many places as are free a lane may hold: with 3 it leaves a quarter to others, and two such lanes
   * leave a seventh. Default: any.
   */
  readonly greed?: number;
  /** Whether a lane may take all places as long as nobody else has asked lately. Default: no. */
  readonly allWhenAlone?: boolean;
  /** Who may wait for a place, all lanes together. */
  readonly maxWaiting: number;
  /** What is full, for the message, such as `the service`. */
  readonly name: string;
  /** Milliseconds on a clock that only goes forward. Default `performance.now`. */
  readonly now?: () => number;
}

export interface Ask extends Party {
  /** Milliseconds of waiting after which a place is of no use to the caller. Default: any. */
  readonly budgetMs?: number;
  /** Aborted when the caller hangs up: it leaves the queue, and its reason is what the ask rejects with. */
  readonly signal: AbortSignal;
}

/** A place that was taken; it must be released. */
export interface Place {
  readonly waitedMs: number;
  /** Gives the place to the next in turn. Idempotent. */
  release(): void;
}

export interface QueueState {
  readonly running: number;
  readonly waiting: number;
  /** Milliseconds that a newcomer without anybody of its own lane before it would wait, as far as can be told. */
  readonly expectedWaitMs: number;
}

interface Waiter {
  readonly ask: Ask;
  readonly since: number;
  readonly admit: (place: Place) => void;
  readonly refuse: (error: unknown) => void;
  readonly stopWatching: () => void;
}

/** Who runs and waits under one name. */
interface Share {
  running: number;
  /** Count of turns when it last got a place: the tie goes to whoever was served longest ago. */
  servedAt: number;
}

/** Who asked last, and who before it that was somebody else. */
interface Asked {
  readonly lane: string;
  readonly at: number;
}

/** Milliseconds for which a lane that has asked counts as being about. */
const ABOUT_MS = 10_000;
/** Weight of the last work in the mean duration. */
const SMOOTHING = 0.2;
const LONGEST_RETRY_AFTER_S = 60;

/**
 * A bounded number of places, and a bounded queue before them. A free place goes to the group that has the
 * fewest, in it to the lane that has the fewest, and among equals to the one that was served longest ago: a
 * greedy caller gets what the others leave and can never keep them waiting for its own queue. When the
 * queue is full, the longest lane gives way to a newcomer of a shorter one. Places that are held for long are no
 * help to those who come then: with `greed` some are left free for them (the dynamic thresholds of Choudhury and Hahne,
 * 1998).
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
  /** Sum of the times at which the places were taken that are held. */
  #takenAt = 0;
  #waiting = 0;
  #turns = 0;
  /** Mean milliseconds that a place is held. */
  #meanMs = 0;
  #closedFor: AppError | undefined;

  constructor(options: FairQueueOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /**
   * Resolves when a place is free.
   * @throws {AppError} `overloaded` when the queue is full, or the wait exceeds the budget or would
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

  /** Refuses whoever waits and whoever comes; what runs is left alone. */
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
      // A place may be free although others wait: for those whose group has all that it may have.
      this.#admitNext();
    });
  }

  /** The longest lane gives way; when that is the newcomer's own, the newcomer is refused. */
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

  /** Whose turn it is. */
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

  /** Whether there is a place that this party may take. */
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

  /** Whether nobody else has asked lately. */
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
   * Milliseconds. Before a newcomer is its own lane, and as many of every other lane, each place taking turns; where its
   * share is all that is in use, its own lane alone. A place is held as long as those before it, or as long as those that
   * are held have been.
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

  /** Whoever neither runs nor waits is not remembered. */
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
