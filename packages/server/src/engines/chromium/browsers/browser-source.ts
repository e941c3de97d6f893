import type { DevtoolsConnection } from '../devtools/devtools-connection.ts';

export interface BrowserLease {
  readonly browser: string;
  readonly connection: DevtoolsConnection;
  /** True if no other client opens pages, so that new ones may be paused. */
  readonly isExclusive: boolean;
  readonly proxyHost?: string;
  readonly proxyListenHost?: string;
  /** Undefined if a watchdog limits the renderers. */
  readonly maxHeapBytes?: number;
  /** Call it once a page has an answer: only then is it certain that the network process runs. */
  noteNetwork?(): void;
  /**
   * A lost network process silently drops resources.
   * @throws {DevtoolsClosedError} {@link DevtoolsError}
   */
  hasLostNetwork?(): Promise<boolean>;
  killReason(errorCode: number): string | undefined;
  /** Ends the browser after its running captures. */
  distrust(reason: string): void;
  release(): void;
}

export interface BrowserSource {
  /**
   * Avoids the browser named in `failed`.
   * @throws {AppError} `engine_unavailable`; {@link BrowserFaultError}
   */
  lease(failed?: string): Promise<BrowserLease>;
  check(): Promise<{ readonly ok: boolean; readonly detail: string }>;
  stats(): BrowserStats;
  close(): Promise<void>;
}

export interface BrowserStats {
  readonly browsers: number;
  readonly active: number;
  readonly started: number;
  readonly killedRenderers: number;
}
