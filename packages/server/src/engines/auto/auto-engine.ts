import { CaptureError } from '../../domain/capture/capture-error.ts';
import { shapeKeyOf } from '../../domain/capture/check-target.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { within } from '../../domain/shared/within.ts';
import type {
  Capture,
  CaptureRequest,
  CaptureVerdict,
  Engine,
  EngineAttempt,
  HostMemory,
} from '../../domain/capture/capture-ports.ts';
import { createShellJudge } from '../../domain/shells/judge-shell.ts';
import { answersConsent, isOrdinaryCapture, type CaptureOptions } from '../../domain/request-options/page-options.ts';
import { answerReserveMs, startDeadline, type Deadline } from '../shared/deadline.ts';
import { countVisibleText } from '../../domain/shells/html-heuristics.ts';
import { UnreadableDocument, UnreadableResponse } from '../http/unreadable.ts';
import { failedAttempt } from '../shared/judge-response.ts';
import { needOf, type EngineName, type ErrorCode } from '@winnow/contract';

export interface AutoEngineOptions {
  readonly engines: Readonly<Record<EngineName, Engine>>;
  /** Whether the deployment has browsers. */
  readonly hasBrowsers: boolean;
  readonly memory: HostMemory;
}

const LADDER = ['http', 'vendor_lite', 'stable'] as const satisfies readonly EngineName[];

/** Indexes of the first engine that renders pages, and of the first that scrolls and loads all their resources. */
const FIRST_BROWSER = 1;
const FIRST_WHOLE = 2;

const JUDGE_HTML = createShellJudge();

/** Share of the remaining time for every attempt but the last. A first plain request goes on beside the next engine. */
const TIME_SHARE = 0.6;
/** Longest wait of an attempt that is not the last for an unrendered app shell that requests nothing. */
const SHELL_IDLE_MS = 3000;

/** Share of the time for plain HTTP where it was refused before. */
const PROBATION_SHARE = 0.25;

/** Characters of HTML used for ranking: counting more would block the event loop. */
const RANKED_CHARACTERS = 1024 * 1024;

/** A list limits the error to these statuses. */
const WORTH_ANOTHER: Partial<Record<ErrorCode, readonly number[] | true>> = {
  fetch_blocked: true,
  fetch_timeout: true,
  http_status_not_ok: [401, 403, 405, 406, 429, 503, 520, 521, 525],
};

/** Browser failures for which plain HTTP may still work, for example downloads. */
const WORTH_PLAIN: ReadonlySet<ErrorCode> = new Set(['unsupported_content', 'engine_unavailable', 'render_failed']);

/** Errors of the target take precedence. */
const OWN_FAILURES: ReadonlySet<ErrorCode> = new Set(['engine_unavailable', 'overloaded', 'render_failed']);

/**
 * Starts with plain HTTP and escalates when the page is an unrendered app shell, blocked or unreadable. Where a browser
 * found more in pages of the same host and URL shape, the browser starts at once, beside plain HTTP. Where plain HTTP was
 * refused, the browser starts alone, and plain HTTP is retried hourly.
 */
export function createAutoEngine(options: AutoEngineOptions): Engine {
  return {
    async capture(request) {
      using deadline = startDeadline(request, answerReserveMs(request.timeoutMs));
      return await new AutoCapture(options, request, deadline).run();
    },
  };
}

type Outcome = Capture | 'move-on' | 'give-up';

/** What is known about the pages of a host and URL shape. */
interface KnownShape {
  readonly filledKey: string;
  /** The engine that found more than plain HTTP. */
  readonly filled: EngineName | undefined;
  readonly refusedKey: string;
  /** The engine that worked where plain HTTP was refused. */
  readonly refused: EngineName | undefined;
}

interface PendingAttempt {
  readonly outcome: Promise<Outcome>;
  readonly stop: AbortController;
}

interface AttemptOrder {
  /** Of the remaining time. */
  readonly share?: number;
  readonly shellIdleMs?: number;
  readonly signal?: AbortSignal;
}

class AutoCapture {
  readonly #options: AutoEngineOptions;
  readonly #request: CaptureRequest;
  readonly #deadline: Deadline;
  readonly #attempts: EngineAttempt[] = [];
  readonly #captures: Capture[] = [];
  readonly #errors: AppError[] = [];
  #plain: PendingAttempt | undefined;
  /** Index of the weakest engine that may find more than the captures so far. */
  #least = 0;

  constructor(options: AutoEngineOptions, request: CaptureRequest, deadline: Deadline) {
    this.#options = options;
    this.#request = request;
    this.#deadline = deadline;
  }

  async run(): Promise<Capture> {
    const { options = {} } = this.#request;
    const { memory, hasBrowsers } = this.#options;
    const known = await this.#recall();
    const weakest = weakestEngine(options);
    const first = hasBrowsers ? Math.max(weakest, rankOf(known.filled), rankOf(known.refused)) : weakest;
    // An engine that works with special options may fail without them.
    const isOrdinary = isOrdinaryCapture(options);
    if (isOrdinary && first > 0 && rankOf(known.refused) > 0) {
      const outcome = (await memory.claimProbation(known.refusedKey))
        ? await this.#try('http', { share: PROBATION_SHARE })
        : 'move-on';
      if (typeof outcome !== 'string') return this.#finish(outcome, known);
    } else if (first > weakest && weakest === 0) this.#plain = this.#start('http');
    for (const [index, engine] of LADDER.entries()) {
      if (index < Math.max(first, this.#least) || (index > weakest && !this.#options.hasBrowsers)) continue;
      // However little time there is, the first engine tries.
      if (this.#attempts.length > 0 && (this.#request.signal.aborted || this.#deadline.remainingMs() < 50)) break;
      const isLast = index === LADDER.length - 1 || !this.#options.hasBrowsers;
      let outcome = await (index === 0 && !isLast ? this.#tryPlainFirst() : this.#tryBeside(engine, isLast));
      if (outcome === 'move-on') continue;
      if (outcome === 'give-up') {
        const code = this.#errors.at(-1)?.code ?? 'internal';
        // Plain HTTP still reads the documents that browsers do not show.
        if (weakest > 0 ? code !== 'unsupported_content' : first === 0 || !WORTH_PLAIN.has(code)) break;
        outcome = await (this.#plain?.outcome ?? this.#try('http'));
        if (typeof outcome === 'string' || (weakest > 0 && outcome.document === undefined)) break;
        return { ...outcome, attempts: this.#attempts };
      }
      return isOrdinary ? this.#finish(outcome, known) : { ...outcome, attempts: this.#attempts };
    }
    // A slow plain request is the last hope.
    const late = await this.#plain?.outcome;
    return late === undefined || typeof late === 'string' ? this.#best() : { ...late, attempts: this.#attempts };
  }

  async #recall(): Promise<KnownShape> {
    const { memory } = this.#options;
    const filledKey = shapeKeyOf(this.#request.url);
    const refusedKey = `${filledKey} refused`;
    const [filled, refused] = await Promise.all([memory.recall(filledKey), memory.recall(refusedKey)]);
    return { filledKey, filled, refusedKey, refused };
  }

  /** Remembers what the capture says about other pages of its shape. */
  async #finish(capture: Capture, { filledKey, filled, refusedKey, refused }: KnownShape): Promise<Capture> {
    const finished = { ...capture, attempts: [...this.#attempts] };
    // A document says nothing about HTML pages.
    if (capture.document !== undefined) return finished;
    const remember = async (key: string, known: EngineName | undefined, engine: EngineName): Promise<void> => {
      if (engine !== (known ?? 'http')) await this.#options.memory.remember(key, engine);
    };
    if (capture.engine === 'http') {
      await Promise.all([remember(filledKey, filled, 'http'), remember(refusedKey, refused, 'http')]);
      return finished;
    }
    const plain = this.#captures.find(({ engine }) => engine === 'http');
    if (plain !== undefined) {
      const hasMore = countRanked(capture) > countRanked(plain);
      await remember(filledKey, filled, hasMore ? capture.engine : 'http');
      await remember(refusedKey, refused, 'http');
    } else if (rankOf(refused) > 0 || this.#isRefused()) await remember(refusedKey, refused, capture.engine);
    return finished;
  }

  /** Whether plain HTTP failed by itself. */
  #isRefused(): boolean {
    return this.#attempts.some(
      ({ engine, outcome, errorCode }) => engine === 'http' && outcome === 'failed' && errorCode !== 'overloaded',
    );
  }

  /** Tries plain HTTP with all the time. If it is slow, the next engines try beside it. */
  async #tryPlainFirst(): Promise<Outcome> {
    const plain = this.#start('http');
    const outcome = await within(plain.outcome, this.#deadline.remainingMs() * TIME_SHARE);
    if (outcome === undefined) this.#plain = plain;
    return outcome ?? 'move-on';
  }

  /** Tries an engine, unless a slow plain request is sufficient first. */
  async #tryBeside(engine: EngineName, isLast: boolean): Promise<Outcome> {
    const order = { share: isLast ? 1 : TIME_SHARE, ...(isLast ? {} : { shellIdleMs: SHELL_IDLE_MS }) };
    const plain = this.#plain;
    if (plain === undefined) return this.#try(engine, order);
    const attempt = this.#start(engine, order);
    const first = await Promise.race([
      attempt.outcome,
      plain.outcome.then((outcome) => (typeof outcome === 'string' ? attempt.outcome : outcome)),
    ]);
    if (typeof first === 'string') return first;
    const other = first.engine === engine ? plain : attempt;
    other.stop.abort(new AppError('overloaded', `${first.engine} was first`));
    await other.outcome;
    return first;
  }

  #start(engine: EngineName, order: AttemptOrder = {}): PendingAttempt {
    const stop = new AbortController();
    const outcome = this.#try(engine, { ...order, signal: AbortSignal.any([this.#request.signal, stop.signal]) });
    outcome.catch(() => {});
    return { outcome, stop };
  }

  async #try(
    engine: EngineName,
    { share = 1, signal = this.#request.signal, ...limits }: AttemptOrder = {},
  ): Promise<Outcome> {
    const start = performance.now();
    const passedMs = (): number => Math.round(performance.now() - start);
    // Without the time of the judge.
    let elapsedMs: number | undefined;
    const timeoutMs = Math.ceil(this.#deadline.remainingMs() * share);
    try {
      const capture = await this.#options.engines[engine].capture({ ...this.#request, ...limits, signal, timeoutMs });
      elapsedMs = passedMs();
      const { judge = JUDGE_HTML } = this.#request;
      const budget = { signal, timeoutMs: this.#deadline.remainingMs() };
      const { sufficient, reason, needsScroll } =
        judgeDocument(capture) ?? this.#judgeWait(capture) ?? (await judge(capture, budget));
      const outcome = sufficient ? 'captured' : 'rejected';
      this.#attempts.push({ engine, outcome, reason, errorCode: null, elapsedMs });
      if (sufficient) return capture;
      this.#captures.push(capture);
      if (needsScroll) this.#least = FIRST_WHOLE;
      return 'move-on';
    } catch (caught) {
      const error = this.#request.signal.aborted ? this.#deadline.error() : caught;
      if (!(error instanceof AppError)) throw error;
      this.#errors.push(error);
      this.#attempts.push(failedAttempt(engine, error, elapsedMs ?? passedMs()));
      return isWorthAnother(error) ? 'move-on' : 'give-up';
    }
  }

  /** A stronger engine may show the element that a weaker one did not. */
  #judgeWait({ partial }: Capture): CaptureVerdict | undefined {
    if (!partial || typeof this.#request.options?.wait_for !== 'string') return undefined;
    return { sufficient: false, reason: 'the element of wait_for did not appear' };
  }

  /** Returns the capture with the most text, else throws the most informative error. */
  #best(): Capture {
    const ranked = this.#captures.map((capture) => ({
      capture,
      text: countRanked(capture),
    }));
    const [best] = ranked.toReversed().toSorted((one, other) => other.text - one.text);
    const denial = this.#errors.find(({ code }) => code === 'egress_denied');
    // The page led to an address that nothing may open.
    if (best && !denial) return { ...best.capture, attempts: this.#attempts };
    const error =
      denial ??
      this.#errors.findLast(({ code }) => !OWN_FAILURES.has(code)) ??
      this.#errors.at(-1) ??
      this.#deadline.error();
    // Names the caller's time limit instead of the attempt's.
    const { message } = error.code === 'fetch_timeout' ? this.#deadline.tooLate() : error;
    throw withAttempts(error, message, this.#attempts);
  }
}

function rankOf(engine: EngineName | undefined): number {
  return LADDER.findIndex((one) => one === engine);
}

function countRanked({ html }: Capture): number {
  return countVisibleText(html.slice(0, RANKED_CHARACTERS), 100_000);
}

/** Plain HTTP can neither wait, click nor render. */
function weakestEngine(options: CaptureOptions): number {
  const needs = Object.entries(options).map(([name, value]) => (value === undefined ? undefined : needOf(name)));
  if (needs.includes('whole_page')) return FIRST_WHOLE;
  return needs.includes('browser') || answersConsent(options.consent) ? FIRST_BROWSER : 0;
}

function judgeDocument({ document }: Capture): CaptureVerdict | undefined {
  return document && { sufficient: true, reason: `a document (${document}), which no browser renders` };
}

function isWorthAnother(error: AppError): boolean {
  if (error instanceof UnreadableDocument) return false;
  if (error instanceof UnreadableResponse) return true;
  const rule = WORTH_ANOTHER[error.code];
  return rule === true || (rule?.includes(error.upstreamStatusCode ?? 0) ?? false);
}

function withAttempts(error: AppError, message: string, attempts: readonly EngineAttempt[]): CaptureError {
  const { retryable, upstreamStatusCode, retryAfterSeconds, details } = error;
  return new CaptureError(error.code, message, {
    stage: error.stage,
    retryable,
    cause: error.cause ?? error,
    attempts,
    upstreamStatusCode,
    retryAfterSeconds,
    details,
    ...(error instanceof CaptureError && error.capture ? { capture: error.capture } : {}),
  });
}
