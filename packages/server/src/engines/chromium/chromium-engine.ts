import { AppError } from '../../domain/shared/errors.ts';
import type { CaptureRequest, Engine } from '../../domain/capture/capture-ports.ts';
import type { Egress } from '../../egress/egress.ts';
import { startDeadline, type Deadline } from '../shared/deadline.ts';
import { BrowserFaultError } from './browsers/browser-fault.ts';
import type { BrowserLease, BrowserSource } from './browsers/browser-source.ts';
import { capturePage, type PageOptions } from './pages/capture-page.ts';
import { identityOf } from '../shared/request-identity.ts';
import type { CaptureSlots } from './capture-slots.ts';
import { DevtoolsClosedError, DevtoolsError } from './devtools/devtools-connection.ts';

export interface ChromiumEngineOptions extends Omit<PageOptions, 'guard' | 'openWithinMs'> {
  readonly egress: Egress;
  readonly source: BrowserSource;
  readonly slots: CaptureSlots;
}

/** A failed browser ends its captures, which restart in another one. A page that kills four fails. */
const MAX_TRIES = 4;
/** For the first browser; later attempts are limited by the deadline. */
const OPEN_TIMEOUT_MS = 5000;

export function createChromiumEngine(options: ChromiumEngineOptions): Engine {
  return {
    async capture(request) {
      using deadline = startDeadline(request);
      return await options.slots.run(deadline, () => captureWithRetry(request, deadline, options));
    },
  };
}

async function captureWithRetry(
  request: CaptureRequest,
  deadline: Deadline,
  options: ChromiumEngineOptions,
): ReturnType<Engine['capture']> {
  const queueMs = Math.round(deadline.elapsedMs());
  let failed: string | undefined;
  for (let attempt = 1; ; attempt += 1) {
    let lease: BrowserLease | undefined;
    try {
      lease = await takeLease(options.source, deadline, failed);
      const capture = await capturePage(lease, request, deadline, {
        ...options,
        ...identityOf(request.options, options),
        guard: options.egress.guard(request.egress),
        ...(attempt === 1 ? { openWithinMs: OPEN_TIMEOUT_MS } : {}),
      });
      return { ...capture, timings: { queue: queueMs, ...capture.timings } };
    } catch (error) {
      if (!isBrowsersFault(error) || attempt >= MAX_TRIES || deadline.signal.aborted) throw toAppError(error, deadline);
      failed = error instanceof BrowserFaultError && error.isBrowserSound ? undefined : lease?.browser;
    } finally {
      lease?.release();
    }
  }
}

function isBrowsersFault(error: unknown): boolean {
  return error instanceof DevtoolsClosedError || error instanceof DevtoolsError || error instanceof BrowserFaultError;
}

async function takeLease(source: BrowserSource, deadline: Deadline, failed: string | undefined): Promise<BrowserLease> {
  const leasing = source.lease(failed);
  return deadline.race(leasing).catch((error: unknown) => {
    leasing.then(
      (late) => late.release(),
      () => {},
    );
    throw error;
  });
}

function toAppError(error: unknown, deadline: Deadline): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof BrowserFaultError) return error.failure;
  if (deadline.signal.aborted) return deadline.error();
  if (error instanceof DevtoolsClosedError)
    return new AppError('render_failed', 'the browser exited', { cause: error });
  if (error instanceof DevtoolsError)
    return new AppError('render_failed', `the browser refused: ${error.message}`, { cause: error });
  return new AppError('engine_unavailable', `the browser cannot be used (${(error as Error).message})`, {
    cause: error,
  });
}
