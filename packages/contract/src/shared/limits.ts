/** Bounds that the schemas enforce; a deployment may narrow or widen them by configuration. */
export interface Limits {
  /** Longest accepted time budget, in milliseconds. */
  readonly maxTimeoutMs: number;
  /** Longest accepted URL, in characters. */
  readonly maxUrlLength: number;
}

export const DEFAULT_LIMITS: Limits = { maxTimeoutMs: 120_000, maxUrlLength: 8192 };

export const DEFAULT_DUMP_TIMEOUT_MS = 30_000;

export const DEFAULT_STAGE_TIMEOUT_MS = 30_000;

/** Bounds of a chunk's text, in characters. */
export const CHUNK_LIMITS = { min: 200, max: 100_000, default: 4_000 } as const;
