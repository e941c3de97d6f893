/** Small interfaces that several parts of the domain share; nothing here knows HTTP, SQL or a browser. */

/** Where adapters report what a request's answer does not show. pino's loggers fit it. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface PageRequest {
  /** 1 to 200; default 50. */
  readonly limit?: number;
  /** `nextCursor` of the page before; AppError `invalid_request` when it is none. */
  readonly cursor?: string;
}

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** Small facts about the deployment, by name. */
export interface SettingRepository {
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
  /** True for the first caller with this name, ever and over all processes: for what is to happen once. */
  claim(name: string): Promise<boolean>;
}

/** What is left of a stage's time, and the signal that ends it early. */
export interface StageBudget {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}
