/** Tables of the metrics; conventions as in `schema.ts`. */
export interface MetricTables {
  request_spans: RequestSpanTable;
  gauge_samples: GaugeSampleTable;
}

/** Finished requests of one time span, process and kind. */
export interface RequestSpanTable {
  /** 60 or 3600. */
  span_seconds: number;
  /** Start of the span, seconds since 1970. */
  at: number;
  /** Id of the process, so that each writes its own rows. */
  process: string;
  project_id: string;
  /** `ok` or the error code. */
  code: string;
  /** Stage of the error; '' for success. */
  stage: string;
  /** Engine of the capture; '' without one. */
  engine: string;
  count: number;
  /** JSON list of counts per latency bin, see `latency-histogram.ts`. */
  histogram: string;
}

/** One reading of a gauge. */
export interface GaugeSampleTable {
  /** Seconds since 1970. */
  at: number;
  process: string;
  name: string;
  /** '' for values without a project. */
  project_id: string;
  value: number;
}
