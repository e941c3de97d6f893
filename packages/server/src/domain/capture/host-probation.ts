/** Milliseconds after which plain HTTP is tried again at a host that is remembered for a browser. */
export const PROBATION_INTERVAL_MS: number = 60 * 60 * 1000;
