import type { DevtoolsConnection } from '../devtools/devtools-connection.ts';

/** The right to run one capture in a browser; to be given back. */
export interface BrowserLease {
  /** Names the browser among those of its source. */
  readonly browser: string;
  readonly connection: DevtoolsConnection;
  /** Whether nobody else opens pages in this browser, so that new ones may be held until they are told where to go. */
  readonly isExclusive: boolean;
  /** Host under which the browser reaches the proxy lanes of this process; loopback when left out. */
  readonly laneHost?: string;
  /** Address that lanes listen on for this browser; loopback when left out. */
  readonly laneListenHost?: string;
  /** Bytes of a page's heap above which its capture ends; undefined where the memory of renderers is watched. */
  readonly maxHeapBytes?: number;
  /**
   * Whether the browser lost its network process since the lease began: its pages go on then, without what they were
   * loading, and are told nothing. Left out where processes cannot be seen.
   * @throws {DevtoolsClosedError} {@link DevtoolsError}
   */
  hasLostNetwork?(): Promise<boolean>;
  /** Why a renderer that just ended with this code was ended from here, if it was. */
  killReason(errorCode: number): string | undefined;
  /** The browser takes no further captures and is ended when those under way are done. */
  distrust(reason: string): void;
  release(): void;
}

/** Where browsers come from: one that this process starts, or a fleet that it connects to. */
export interface BrowserSource {
  /**
   * A browser to capture in, and not the one that is named in `failed` if there can be another.
   * @throws {AppError} `engine_unavailable`; {@link BrowserFaultError} when the browser ended while it was started.
   */
  lease(failed?: string): Promise<BrowserLease>;
  /** Whether a browser could be had, and words for a readiness report. Starts none. */
  check(): Promise<{ readonly ok: boolean; readonly detail: string }>;
  stats(): BrowserStats;
  close(): Promise<void>;
}

export interface BrowserStats {
  /** Browsers running or connected. */
  readonly browsers: number;
  /** Captures under way. */
  readonly active: number;
  /** Browsers started or connected so far. */
  readonly started: number;
  /** Renderers ended by the memory watchdog so far. */
  readonly killedRenderers: number;
}
