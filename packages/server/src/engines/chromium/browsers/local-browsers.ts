import { AppError } from '../../../domain/shared/errors.ts';
import type { Logger } from '../../../domain/shared/ports.ts';
import { within } from '../../../domain/shared/within.ts';
import { BrowserFaultError } from './browser-fault.ts';
import type { BrowserLease, BrowserSource, BrowserStats } from './browser-source.ts';
import { DevtoolsConnection } from '../devtools/devtools-connection.ts';
import { openSocketTransport } from '../devtools/devtools-socket.ts';
import { findBrowser, launchBrowser, removeStaleProfiles, whyNoSandbox } from './launch-browser.ts';
import type { LaunchedBrowser, LaunchOptions } from './launch-browser.ts';
import { isWatchdogsKill, ProcessWatchdog } from './watchdogs.ts';

export interface LocalBrowsersOptions {
  readonly launch: Omit<LaunchOptions, 'withPort'>;
  /** WebSocket (engine `chrome_cdp`) instead of the pipe. */
  readonly overSocket: boolean;
  readonly recycleAfterCaptures: number;
  readonly recycleAfterMs: number;
  /** Excludes renderers and file mappings. */
  readonly recycleAboveBytes: number;
  readonly idleMs: number;
  readonly maxRendererBytes: number;
  /** Of all threads. */
  readonly maxRendererCpuMs: number;
  readonly logger: Logger;
}

interface Running {
  readonly browser: LaunchedBrowser;
  readonly connection: DevtoolsConnection;
  readonly startedAt: number;
  readonly watchdog: ProcessWatchdog;
  captures: number;
  active: number;
  retiredFor: string | undefined;
  lastKill: { readonly at: number; readonly excess: string } | undefined;
  /** Last measurement without renderers. */
  ownBytes: number;
  idleTimer: NodeJS.Timeout | undefined;
}

const MIB = 1_048_576;
const KILL_IS_RECENT_MS = 2000;
const SOCKET_TIMEOUT_MS = 5000;
const PROBE_TIMEOUT_MS = 2000;

/**
 * Runs one browser at a time: started on demand, replaced by count, age, memory or after a fault, ended when idle. A
 * busy browser takes captures until its replacement has started.
 */
export class LocalBrowsers implements BrowserSource {
  readonly #options: LocalBrowsersOptions;
  readonly #running = new Set<Running>();
  #current: Promise<Running> | undefined;
  #next: Promise<Running> | undefined;
  #started = 0;
  #killedRenderers = 0;
  #isClosed = false;
  #sweep: Promise<void> | undefined;

  constructor(options: LocalBrowsersOptions) {
    this.#options = options;
  }

  async lease(failed?: string): Promise<BrowserLease> {
    const running = await this.#take(failed);
    const { watchdog } = running;
    const lossesBefore = watchdog.networkLosses;
    let isReleased = false;
    return {
      browser: nameOf(running),
      connection: running.connection,
      isExclusive: true,
      noteNetwork: () => watchdog.noteNetwork(),
      hasLostNetwork: async () => (await watchdog.countNetworkLosses()) > lossesBefore,
      killReason: (errorCode) => describeKill(running, errorCode),
      distrust: (reason) => this.#retire(running, reason),
      release: () => {
        if (!isReleased) this.#release(running);
        isReleased = true;
      },
    };
  }

  async check(): Promise<{ ok: boolean; detail: string }> {
    const executable = findBrowser(this.#options.launch.executables);
    if (executable === undefined) return { ok: false, detail: 'no Chromium found' };
    // A retired browser says nothing about new captures.
    const running = [...this.#running].find(({ retiredFor }) => retiredFor === undefined);
    const why = whyNoSandbox(this.#options.launch.isSandboxOff ?? false);
    const note = why === undefined ? '' : `, without a sandbox because ${why}`;
    if (!running) return { ok: true, detail: `${executable}, started when needed${note}` };
    const answer = running.connection.send('Browser.getVersion').catch(() => undefined);
    const version = await within(answer, PROBE_TIMEOUT_MS);
    return version
      ? { ok: true, detail: `${version.product}${note}` }
      : { ok: false, detail: 'the browser does not answer' };
  }

  stats(): BrowserStats {
    const active = [...this.#running].reduce((sum, running) => sum + running.active, 0);
    return { browsers: this.#running.size, active, started: this.#started, killedRenderers: this.#killedRenderers };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled([this.#current, this.#next]);
    await Promise.all([...this.#running].map((running) => this.#end(running)));
  }

  async #take(failed: string | undefined): Promise<Running> {
    for (;;) {
      const attempt = (this.#current ??= this.#next ?? this.#start());
      const running = await attempt.catch((error: unknown) => {
        if (this.#current === attempt) this.#current = undefined;
        throw error;
      });
      if (this.#isClosed) throw new AppError('engine_unavailable', 'the service is stopping');
      if (nameOf(running) === failed) this.#replace(running, 'a capture failed in it');
      if (running.retiredFor === undefined && !running.connection.isClosed) {
        running.captures += 1;
        running.active += 1;
        clearTimeout(running.idleTimer);
        return running;
      }
      if (this.#current === attempt) this.#current = undefined;
    }
  }

  async #start(): Promise<Running> {
    const { launch, overSocket, logger, maxRendererBytes, maxRendererCpuMs } = this.#options;
    await (this.#sweep ??= removeStaleProfiles());
    const browser = await launchBrowser({ ...launch, withPort: overSocket });
    const connection = await this.#connect(browser);
    this.#started += 1;
    const running: Running = {
      browser,
      connection,
      startedAt: performance.now(),
      watchdog: new ProcessWatchdog({
        connection: browser.connection,
        maxRendererBytes,
        maxRendererCpuMs,
        onKill: (pid, excess) => this.#noteKill(running, pid, excess),
        onMeasured: (ownBytes) => this.#noteMemory(running, ownBytes),
      }),
      captures: 0,
      active: 0,
      retiredFor: undefined,
      lastKill: undefined,
      ownBytes: 0,
      idleTimer: undefined,
    };
    this.#running.add(running);
    logger.info({ pid: browser.pid }, 'browser started');
    void browser.exited.then(() => this.#forget(running));
    if (this.#isClosed) await this.#end(running);
    return running;
  }

  async #connect(browser: LaunchedBrowser): Promise<DevtoolsConnection> {
    if (browser.socketUrl === null) return browser.connection;
    try {
      const connection = new DevtoolsConnection(await openSocketTransport(browser.socketUrl, SOCKET_TIMEOUT_MS));
      void browser.exited.then(() => connection.close());
      return connection;
    } catch (error) {
      await browser.close();
      throw new BrowserFaultError(
        new AppError('engine_unavailable', `the browser does not answer (${(error as Error).message})`, {
          cause: error,
        }),
      );
    }
  }

  #noteKill(running: Running, pid: number, excess: string): void {
    this.#killedRenderers += 1;
    running.lastKill = { at: performance.now(), excess };
    this.#options.logger.warn({ pid }, `renderer ended: too much ${excess}`);
  }

  #noteMemory(running: Running, ownBytes: number): void {
    running.ownBytes = ownBytes;
    // A new browser would use as much.
    if (ownBytes > this.#options.recycleAboveBytes && running.captures > 0)
      this.#scheduleReplacement(running, tooMuch(ownBytes));
  }

  #release(running: Running): void {
    running.active -= 1;
    const reason = this.#reasonToReplace(running);
    if (reason !== undefined) this.#scheduleReplacement(running, reason);
    else if (running.active === 0) this.#startIdleTimer(running);
  }

  #reasonToReplace(running: Running): string | undefined {
    const { recycleAfterCaptures, recycleAfterMs, recycleAboveBytes } = this.#options;
    if (running.retiredFor !== undefined) return running.retiredFor;
    if (running.captures >= recycleAfterCaptures) return 'enough captures';
    if (running.ownBytes > recycleAboveBytes) return tooMuch(running.ownBytes);
    return performance.now() - running.startedAt >= recycleAfterMs ? 'old' : undefined;
  }

  #scheduleReplacement(running: Running, reason: string): void {
    if (running.active === 0) this.#replace(running, reason);
    else if (running.retiredFor === undefined) this.#prepareNext(running, reason);
  }

  /** Starts early, so that no capture waits. */
  #prepareNext(running: Running, reason: string): void {
    if (this.#next !== undefined || this.#isClosed) return;
    const next = this.#start();
    this.#next = next;
    next
      .then((replacement) => {
        this.#current = next;
        this.#replace(running, reason);
        if (replacement.active === 0 && replacement.retiredFor === undefined) this.#startIdleTimer(replacement);
      })
      // The next finished capture tries again.
      .catch((error: unknown) => this.#options.logger.warn({ err: error }, 'browser replacement failed to start'))
      .finally(() => (this.#next = undefined));
  }

  #startIdleTimer(running: Running): void {
    running.idleTimer = setTimeout(() => this.#replace(running, 'idle'), this.#options.idleMs);
    running.idleTimer.unref();
  }

  #retire(running: Running, reason: string): void {
    if (running.retiredFor !== undefined) return;
    running.retiredFor = reason;
    this.#options.logger.info({ pid: running.browser.pid, reason }, 'browser retired');
  }

  #replace(running: Running, reason: string): void {
    this.#retire(running, reason);
    if (running.active === 0) void this.#end(running);
  }

  async #end(running: Running): Promise<void> {
    running.retiredFor ??= 'closed';
    clearTimeout(running.idleTimer);
    running.watchdog.stop();
    await running.browser.close();
  }

  #forget(running: Running): void {
    clearTimeout(running.idleTimer);
    running.watchdog.stop();
    running.connection.close();
    this.#running.delete(running);
    if (running.retiredFor === undefined) this.#options.logger.warn({ pid: running.browser.pid }, 'browser exited');
    running.retiredFor ??= 'exited';
  }
}

function nameOf({ browser }: Running): string {
  return String(browser.pid);
}

function tooMuch(ownBytes: number): string {
  return `too much memory (${Math.round(ownBytes / MIB)} MiB)`;
}

/** Returns the reason of a recent kill; an older one concerns another renderer. */
function describeKill({ lastKill }: Running, errorCode: number): string | undefined {
  const isRecent = lastKill !== undefined && performance.now() - lastKill.at < KILL_IS_RECENT_MS;
  if (!isRecent || !isWatchdogsKill(errorCode)) return undefined;
  return `the page took too much ${lastKill.excess} and was ended`;
}
