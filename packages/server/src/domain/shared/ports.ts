/** Compatible with pino. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface PageRequest {
  /** 1 to 200; default 50. */
  readonly limit?: number | undefined;
  /** Of the previous page; otherwise AppError `invalid_request`. */
  readonly cursor?: string | undefined;
}

export interface Page<T> {
  readonly items: readonly T[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

export interface SettingRepository {
  get(name: string): Promise<string | undefined>;
  /** Sets a value that is never replaced; true for the first call ever, over all processes. */
  claim(name: string, value: string): Promise<boolean>;
}

export interface StageBudget {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}
