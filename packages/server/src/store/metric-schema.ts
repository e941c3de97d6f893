/** The tables of figures over time; conventions as in `schema.ts`. */
export interface MetricTables {
  request_spans: RequestSpanTable;
  gauge_samples: GaugeSampleTable;
}

/** Finished requests of one span, process and kind. */
export interface RequestSpanTable {
  /** 60 or 3600. */
  span_seconds: number;
  /** Start of the span, seconds since 1970. */
  at: number;
  /** Which process counted, so that several write side by side without reading each other. */
  process: string;
  project_id: string;
  /** `ok`, or the error's code. */
  code: string;
  /** Stage of the error; '' when there is none. */
  stage: string;
  /** Engine that captured the page; '' when nothing was fetched. */
  engine: string;
  count: number;
  /** JSON list of counts by latency bin, see `latency-histogram.ts`. */
  histogram: string;
}

/** One reading of something that goes up and down. */
export interface GaugeSampleTable {
  /** Seconds since 1970. */
  at: number;
  process: string;
  name: string;
  /** '' for what belongs to no project. */
  project_id: string;
  value: number;
}
