/** Projects and their API keys. `store/` keeps them. */

/** A project-scoped key (Variant A) demands `X-Project-Id`; a key-only key (Variant B) ignores it. */
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
  /** The visible start of the key, such as `wk_3fGh2K`. */
  readonly prefix: string;
  /** Requests a minute; null: the deployment's default. */
  readonly quotaPerMinute: number | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

/** A key as stored, for who checks one. */
export interface StoredApiKey extends ApiKey {
  readonly hash: string;
  /** Since when the key's project is archived. */
  readonly projectArchivedAt: Date | null;
}

/** Keys are stored as the SHA-256 of their text (lower-case hex); the text itself is shown once, at creation. */
export interface KeyRepository {
  insert(key: ApiKey, hash: string): Promise<void>;
  /** The key with its stored hash, so that the caller can compare the two in constant time, and its project's state. */
  findByHash(hash: string): Promise<StoredApiKey | undefined>;
  list(projectId?: string): Promise<ApiKey[]>;
  /** False when there is no such key; revoking twice keeps the first time. */
  revoke(id: string, at: Date): Promise<boolean>;
  /** May be written a few seconds later, together with other uses; it is not on the way of a request. */
  recordUse(id: string, at: Date): Promise<void>;
}

export type ProjectChanges = Partial<Pick<Project, 'name' | 'archivedAt'>>;

export interface ProjectRepository {
  insert(project: Project): Promise<void>;
  find(id: string): Promise<Project | undefined>;
  list(): Promise<Project[]>;
  /** False when there is no such project; archiving twice keeps the first time. */
  archive(id: string, at: Date): Promise<boolean>;
  /** Writes what is given and nothing else; false when there is no such project. */
  update(id: string, changes: ProjectChanges): Promise<boolean>;
}
