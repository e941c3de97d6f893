import type { DevtoolsConnection } from '../devtools/devtools-connection.ts';

/** Permission to run one capture in a browser; must be released. */
export interface BrowserLease {
  readonly browser: string;
  readonly connection: DevtoolsConnection;
  /** True if no other client opens pages, so that new ones may be paused. */
  readonly isExclusive: boolean;
  /** Host under which the browser reaches this process's proxies. Default: loopback. */
  readonly proxyHost?: string;
  /** Address on which proxies listen for this browser. Default: loopback. */
  readonly proxyListenHost?: string;
  /** Heap limit of a page in bytes; undefined if a watchdog limits the renderers. */
  readonly maxHeapBytes?: number;
  /**
   * Tests whether the browser lost its network process during the lease: pages then silently lack resources. Absent if
   * processes are not visible.
   * @throws {DevtoolsClosedError} {@link DevtoolsError}
   */
  hasLostNetwork?(): Promise<boolean>;
  /** Returns why the watchdog ended a renderer with this code, if it did. */
  killReason(errorCode: number): string | undefined;
  /** Stops new captures and ends the browser after the running ones. */
  distrust(reason: string): void;
  release(): void;
}

/** A local browser or a fleet of external ones. */
export interface BrowserSource {
  /**
   * Leases a browser, if possible not the one named in `failed`.
   * @throws {AppError} `engine_unavailable`; {@link BrowserFaultError} if the browser ended during its start
   */
  lease(failed?: string): Promise<BrowserLease>;
  /** Reports readiness without starting a browser. */
  check(): Promise<{ readonly ok: boolean; readonly detail: string }>;
  stats(): BrowserStats;
  close(): Promise<void>;
}

export interface BrowserStats {
  /** Running or connected browsers. */
  readonly browsers: number;
  /** Running captures. */
  readonly active: number;
  readonly started: number;
  /** Renderers ended by the watchdog. */
  readonly killedRenderers: number;
}
