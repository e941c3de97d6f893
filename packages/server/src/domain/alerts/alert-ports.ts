/** What a project wants to be told of, and where. */
export interface Alert {
  readonly projectId: string;
  readonly url: string;
  /** Sealed, if the deployment has a key. */
  readonly secret: string;
  /** Share of failed requests and items, 0 to 1; null: not watched. */
  readonly errorRate: number | null;
  /** Templates whose last pages lack what they had before. */
  readonly fillRates: boolean;
  /** Names of what holds, as the receiver knows it: `error_rate`, or a version of a template. */
  readonly active: readonly string[];
  readonly changedAt: Date;
  /** Why the receiver did not accept the last call; null: it did, or there was none. */
  readonly lastError: string | null;
}

/** One alert a project. */
export interface AlertRepository {
  put(alert: Alert): Promise<void>;
  find(projectId: string): Promise<Alert | undefined>;
  list(): Promise<Alert[]>;
  /** Notes a call; without effect after another change. */
  note(alert: Alert, call: Pick<Alert, 'active' | 'lastError'>): Promise<void>;
  /** False if there is none. */
  delete(projectId: string): Promise<boolean>;
}
