import { CaptureError } from '../../domain/capture/capture-error.ts';
import { hostKeyOf } from '../../domain/capture/host-key.ts';
import { AppError } from '../../domain/shared/errors.ts';
import type {
  Capture,
  CaptureJudge,
  CaptureRequest,
  Engine,
  EngineAttempt,
  HostMemory,
} from '../../domain/capture/capture-ports.ts';
import { answerReserveMs, startDeadline } from '../shared/deadline.ts';
import type { Deadline } from '../shared/deadline.ts';
import { countVisibleText } from '../../domain/shells/glance.ts';
import { UnreadableResponse } from '../http/unreadable-response.ts';
import { failedAttempt } from '../shared/judge-response.ts';
import type { EngineName, ErrorCode } from '@winnow/contract';

export interface AutoEngineOptions {
  readonly engines: Readonly<Record<EngineName, Engine>>;
  readonly judge: CaptureJudge;
  readonly memory: HostMemory;
}

/** The engines that are tried, the cheapest first. */
const LADDER = ['http', 'vendor_lite', 'stable'] as const satisfies readonly EngineName[];

/** Share of the time left that a try may take while there is another engine behind it. */
const TIME_SHARE = 0.6;

/** Share of the time that plain HTTP may take where a browser is known to work. */
const PROBATION_SHARE = 0.25;

/** Failures after which a stronger engine may do better; with statuses, for these only. */
const WORTH_ANOTHER: Partial<Record<ErrorCode, readonly number[] | true>> = {
  fetch_blocked: true,
  fetch_timeout: true,
  http_status_not_ok: [401, 403, 405, 406, 429, 503, 520, 521, 525],
};

/**
 * Failures of a browser for which plain HTTP may have an answer all the same: a page that is sent as a download, or no
 * browser that works. What an engine is remembered for holds for a host, not for each of its pages.
 */
const WORTH_PLAIN: ReadonlySet<ErrorCode> = new Set(['unsupported_content', 'engine_unavailable', 'render_failed']);

/** Failures of our own side: an earlier answer of the target says more. */
const OWN_FAILURES: ReadonlySet<ErrorCode> = new Set(['engine_unavailable', 'overloaded', 'render_failed']);

/**
 * The engine `auto`: begins with what worked for the host before (plain HTTP at first), and moves on to a
 * stronger engine when the page is an unrendered shell, was refused or cannot be read. Where a browser is remembered,
 * plain HTTP is tried again once an hour, and remembered in its place when it works. Each try is told in `attempts`.
 */
export function createAutoEngine(options: AutoEngineOptions): Engine {
  return {
    async capture(request) {
      using deadline = startDeadline(request, answerReserveMs(request.timeoutMs));
      return await new AutoCapture(options, request, deadline).run();
    },
  };
}

class AutoCapture {
  readonly #options: AutoEngineOptions;
  readonly #request: CaptureRequest;
  readonly #deadline: Deadline;
  readonly #attempts: EngineAttempt[] = [];
  readonly #captures: Capture[] = [];
  readonly #errors: AppError[] = [];

  constructor(options: AutoEngineOptions, request: CaptureRequest, deadline: Deadline) {
    this.#options = options;
    this.#request = request;
    this.#deadline = deadline;
  }

  async run(): Promise<Capture> {
    const host = hostKeyOf(this.#request.url);
    const remembered = await this.#options.memory.recall(host);
    const first = Math.max(
      0,
      LADDER.findIndex((engine) => engine === remembered),
    );
    if (first > 0 && (await this.#options.memory.claimProbation(host))) {
      const outcome = await this.#try('http', PROBATION_SHARE);
      if (typeof outcome !== 'string') {
        await this.#options.memory.remember(host, 'http');
        return { ...outcome, attempts: this.#attempts };
      }
    }
    for (const [index, engine] of LADDER.entries()) {
      if (index < first) continue;
      if (this.#request.signal.aborted || this.#deadline.remainingMs() < 50) break;
      let outcome = await this.#try(engine, index === LADDER.length - 1 ? 1 : TIME_SHARE);
      if (outcome === 'move-on') continue;
      if (outcome === 'give-up') {
        if (first === 0 || !WORTH_PLAIN.has(this.#errors.at(-1)?.code ?? 'internal')) break;
        outcome = await this.#try('http', 1);
        if (typeof outcome === 'string') break;
        return { ...outcome, attempts: this.#attempts };
      }
      if (engine !== (remembered ?? 'http')) await this.#options.memory.remember(host, engine);
      return { ...outcome, attempts: this.#attempts };
    }
    return this.#best();
  }

  /** @param share of the time left that the try may take */
  async #try(engine: EngineName, share: number): Promise<Capture | 'move-on' | 'give-up'> {
    const start = performance.now();
    const elapsedMs = (): number => Math.round(performance.now() - start);
    const timeoutMs = Math.ceil(this.#deadline.remainingMs() * share);
    try {
      const capture = await this.#options.engines[engine].capture({ ...this.#request, timeoutMs });
      const { signal, projectId } = this.#request;
      const budget = { signal, timeoutMs: this.#deadline.remainingMs() };
      const verdict = await this.#options.judge.judge(capture, budget, projectId);
      if (verdict.sufficient) {
        this.#attempts.push({
          engine,
          outcome: 'captured',
          reason: verdict.reason,
          errorCode: null,
          elapsedMs: elapsedMs(),
        });
        return capture;
      }
      this.#captures.push(capture);
      this.#attempts.push({
        engine,
        outcome: 'rejected',
        reason: verdict.reason,
        errorCode: null,
        elapsedMs: elapsedMs(),
      });
      return 'move-on';
    } catch (caught) {
      const error = this.#request.signal.aborted ? this.#deadline.error() : caught;
      if (!(error instanceof AppError)) throw error;
      this.#errors.push(error);
      this.#attempts.push(failedAttempt(engine, error, elapsedMs()));
      return isWorthAnother(error) ? 'move-on' : 'give-up';
    }
  }

  /** When no try was good enough: the capture with the most text, else the error that says the most. */
  #best(): Capture {
    const ranked = this.#captures.map((capture) => ({ capture, text: countVisibleText(capture.html, 100_000) }));
    const [best] = ranked.toReversed().toSorted((one, other) => other.text - one.text);
    if (best) return { ...best.capture, attempts: this.#attempts };
    const error =
      this.#errors.findLast(({ code }) => !OWN_FAILURES.has(code)) ?? this.#errors.at(-1) ?? this.#deadline.error();
    // A try names its own share of the time, which nobody asked for.
    const { message } = error.code === 'fetch_timeout' ? this.#deadline.tooLate() : error;
    throw withAttempts(error, message, this.#attempts);
  }
}

function isWorthAnother(error: AppError): boolean {
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
    ...(upstreamStatusCode === undefined ? {} : { upstreamStatusCode }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(details === undefined ? {} : { details }),
    ...(error instanceof CaptureError && error.capture ? { capture: error.capture } : {}),
  });
}
