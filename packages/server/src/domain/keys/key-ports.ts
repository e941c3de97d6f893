/** A project-scoped key (Variant A) requires `X-Project-Id`; a key-only key (Variant B) ignores it. */
export type KeyKind = 'project' | 'key_only';

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly archivedAt: Date | null;
}

export interface ApiKey {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly kind: KeyKind;
  /** Visible start, for example `wk_3fGh2K`. */
  readonly prefix: string;
  /** Null: the deployment's default. */
  readonly quotaPerMinute: number | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

export interface StoredApiKey extends ApiKey {
  readonly hash: string;
  readonly projectArchivedAt: Date | null;
}

/** Stores only the SHA-256 of keys, in lower-case hex. */
export interface KeyRepository {
  insert(key: ApiKey, hash: string): Promise<void>;
  /** Returns the key with its hash, for a comparison in constant time. */
  findByHash(hash: string): Promise<StoredApiKey | undefined>;
  list(projectId?: string): Promise<ApiKey[]>;
  /** Returns false for an unknown key; a second revocation keeps the first time. */
  revoke(id: string, at: Date): Promise<boolean>;
  /** Written a few seconds later, outside of requests. */
  recordUse(id: string, at: Date): Promise<void>;
}

export type ProjectChanges = Partial<Pick<Project, 'name' | 'archivedAt'>>;

export interface ProjectRepository {
  insert(project: Project): Promise<void>;
  find(id: string): Promise<Project | undefined>;
  list(): Promise<Project[]>;
  /** Returns false for an unknown project; a second archival keeps the first time. */
  archive(id: string, at: Date): Promise<boolean>;
  /** Writes only the given changes; returns false for an unknown project. */
  update(id: string, changes: ProjectChanges): Promise<boolean>;
}
