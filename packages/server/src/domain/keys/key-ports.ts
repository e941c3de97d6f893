/** `project`: a project key, which requires `X-Project-Id`; `key_only`: a standalone key, which ignores it. */
export type KeyKind = 'project' | 'key_only';

export type KeyScope = 'mcp';

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly archivedAt: Date | null;
  /** Whether pages leave notes, which help to extract other pages of their sites. */
  readonly learns: boolean;
}

export interface ApiKey {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly kind: KeyKind;
  /** For example `wk_3fGh2K`. */
  readonly prefix: string;
  /** Null: the deployment's default. */
  readonly quotaPerMinute: number | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
  /** `mcp`: only for `/mcp`, of an assistant that a user let in. Null: for everything. */
  readonly scope: KeyScope | null;
}

export interface StoredApiKey extends ApiKey {
  readonly hash: string;
  readonly projectArchivedAt: Date | null;
}

/** Stores only the SHA-256 of keys. */
export interface KeyRepository {
  insert(key: ApiKey, hash: string): Promise<void>;
  /** Returns the key with its hash, for a comparison in constant time. */
  findByHash(hash: string): Promise<StoredApiKey | undefined>;
  list(projectId?: string): Promise<ApiKey[]>;
  /** False for an unknown key; keeps the first time. */
  revoke(id: string, at: Date): Promise<boolean>;
  /** Records the use a few seconds later. */
  recordUse(id: string, at: Date): Promise<void>;
}

export type ProjectChanges = Partial<Pick<Project, 'name' | 'archivedAt' | 'learns'>>;

export interface ProjectRepository {
  /** A new project learns. */
  insert(project: Omit<Project, 'learns'>): Promise<void>;
  find(id: string): Promise<Project | undefined>;
  list(): Promise<Project[]>;
  /** Writes only the given changes; false for an unknown project. */
  update(id: string, changes: ProjectChanges): Promise<boolean>;
}
