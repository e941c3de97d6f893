import type { LinkKind, Role } from '@winnow/contract';
import type { Page, PageRequest } from '../shared/ports.ts';
import type { Passwords } from './passwords.ts';

export interface User {
  readonly id: string;
  /** Unique regardless of letter case. */
  readonly email: string;
  readonly role: Role;
  readonly passwordHash: string;
  readonly createdAt: Date;
  readonly disabledAt: Date | null;
  readonly lastSeenAt: Date | null;
}

export type UserChanges = Partial<Pick<User, 'role' | 'disabledAt' | 'lastSeenAt'>>;

export interface UserRepository {
  /** False if the address is taken. */
  insert(user: User): Promise<boolean>;
  find(id: string): Promise<User | undefined>;
  findByEmail(email: string): Promise<User | undefined>;
  list(): Promise<User[]>;
  /** Writes only the given changes; false if the user does not exist. */
  update(id: string, changes: UserChanges): Promise<boolean>;
  /** False for the last active administrator. */
  updateUnlessLastAdmin(id: string, changes: UserChanges): Promise<boolean>;
  /** Sets a password and ends all sessions; with `verified`, only if it is still the current hash. */
  setPassword(id: string, passwordHash: string, verified?: string): Promise<boolean>;
  listProjectIds(userId: string): Promise<string[]>;
  setProjectIds(userId: string, projectIds: readonly string[]): Promise<void>;
}

/** Stores only the SHA-256 of the cookie. */
export interface Session {
  readonly hash: string;
  readonly userId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly lastSeenAt: Date;
}

export interface SessionRepository {
  /** False if the user is disabled or has another password hash. */
  insert(session: Session, passwordHash: string): Promise<boolean>;
  find(hash: string): Promise<Session | undefined>;
  touch(hash: string, at: Date): Promise<void>;
  delete(hash: string): Promise<number>;
  deleteOfUser(userId: string): Promise<number>;
  deleteExpired(now: Date): Promise<void>;
}

/** Stores only the SHA-256 of the token. */
export interface OneTimeLink {
  readonly id: string;
  readonly hash: string;
  readonly kind: LinkKind;
  /** Null: the person chooses it. */
  readonly email: string | null;
  readonly role: Role;
  readonly projectIds: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface LinkRepository {
  insert(link: OneTimeLink): Promise<void>;
  findByHash(hash: string): Promise<OneTimeLink | undefined>;
  /** True for exactly one caller. */
  take(id: string): Promise<boolean>;
  list(): Promise<OneTimeLink[]>;
  deleteOfKind(kind: LinkKind, email?: string): Promise<void>;
  deleteExpired(now: Date): Promise<void>;
}

export interface Failures {
  readonly count: number;
  readonly lastAt: Date;
}

export interface FailureRepository {
  find(key: string): Promise<Failures | undefined>;
  /**
   * False once `limit` is reached, also for concurrent calls; restarts the count if the last failure is not after
   * `since`.
   */
  add(key: string, at: Date, since: Date, limit?: number): Promise<boolean>;
  /** Undoes the failure at `at`; restores `lastAt` unless later failures exist. */
  takeBack(key: string, at: Date, lastAt: Date): Promise<void>;
  clear(key: string): Promise<void>;
  deleteBefore(time: Date): Promise<void>;
}

export interface AuditEntry {
  readonly id: string;
  readonly at: Date;
  /** E-mail address, or `command line`. */
  readonly actor: string;
  readonly action: string;
  readonly projectId: string | null;
  readonly target: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface AuditRepository {
  insert(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  list(page: PageRequest): Promise<Page<AuditEntry>>;
}

export interface AccountDeps {
  readonly users: UserRepository;
  readonly sessions: SessionRepository;
  readonly links: LinkRepository;
  readonly failures: FailureRepository;
  readonly audit: AuditRepository;
  readonly now?: () => Date;
}

export interface PasswordDeps extends AccountDeps {
  readonly passwords: Passwords;
}
