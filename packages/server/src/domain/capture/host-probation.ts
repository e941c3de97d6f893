/** Between attempts with plain HTTP at hosts that needed a browser. */
export const PROBATION_INTERVAL_MS: number = 60 * 60 * 1000;
