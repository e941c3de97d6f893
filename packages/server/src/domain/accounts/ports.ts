/** What the accounts of the console need to have kept. `store/` implements it. */
import type { LinkKind, Role } from '@winnow/contract';
import type { Page, PageRequest } from '../shared/ports.ts';
import type { Passwords } from './passwords.ts';

export interface User {
  readonly id: string;
  /** As it was given; two addresses that differ in letter case are the same. */
  readonly email: string;
  readonly role: Role;
  /** See `passwords.ts`. */
  readonly passwordHash: string;
  readonly createdAt: Date;
  readonly disabledAt: Date | null;
  readonly lastSeenAt: Date | null;
}

export type UserChanges = Partial<Pick<User, 'role' | 'disabledAt' | 'lastSeenAt'>>;

export interface UserRepository {
  /** False when the address is taken. */
  insert(user: User): Promise<boolean>;
  find(id: string): Promise<User | undefined>;
  findByEmail(email: string): Promise<User | undefined>;
  list(): Promise<User[]>;
  /** Writes what is given and nothing else, at least one thing; false when there is no such user. */
  update(id: string, changes: UserChanges): Promise<boolean>;
  /** As {@link update}, except that the last active administrator is left alone: false then too. */
  updateUnlessLastAdmin(id: string, changes: UserChanges): Promise<boolean>;
  /**
   * Sets a password and ends all sessions, in one; with `verified`, only where that is still the password's hash.
   * False when nothing was changed.
   */
  setPassword(id: string, passwordHash: string, verified?: string): Promise<boolean>;
  /** Ids of the projects that a member is in. */
  listProjectIds(userId: string): Promise<string[]>;
  setProjectIds(userId: string, projectIds: readonly string[]): Promise<void>;
}

/** A signed-in browser. The cookie's text is kept as its SHA-256 only. */
export interface Session {
  readonly hash: string;
  readonly userId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly lastSeenAt: Date;
}

export interface SessionRepository {
  /** False, and no session, when the user is disabled or has another password than that of the hash. */
  insert(session: Session, passwordHash: string): Promise<boolean>;
  find(hash: string): Promise<Session | undefined>;
  touch(hash: string, at: Date): Promise<void>;
  delete(hash: string): Promise<number>;
  /** Ends all sessions of a user; answers how many there were. */
  deleteOfUser(userId: string): Promise<number>;
  deleteExpired(now: Date): Promise<void>;
}

/** A link that works once: to set up, to join, to choose a new password. Its token is kept as SHA-256 only. */
export interface OneTimeLink {
  readonly id: string;
  readonly hash: string;
  readonly kind: LinkKind;
  /** Null: the person names it. */
  readonly email: string | null;
  readonly role: Role;
  readonly projectIds: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface LinkRepository {
  insert(link: OneTimeLink): Promise<void>;
  findByHash(hash: string): Promise<OneTimeLink | undefined>;
  /** Removes the link; true for exactly one caller. */
  take(id: string): Promise<boolean>;
  list(): Promise<OneTimeLink[]>;
  deleteOfKind(kind: LinkKind, email?: string): Promise<void>;
  deleteExpired(now: Date): Promise<void>;
}

/** Failed sign-ins of one key (an address, or an address with where it came from). */
export interface Failures {
  readonly count: number;
  readonly lastAt: Date;
}

export interface FailureRepository {
  find(key: string): Promise<Failures | undefined>;
  /**
   * Adds one, unless there are `limit` already: false then. Counting starts anew when the last one lies at `since` or
   * before. Of any number of calls at the same time no more than `limit` are told true.
   */
  add(key: string, at: Date, since: Date, limit?: number): Promise<boolean>;
  /** Takes back the one that was added `at`; the last one is then the one of `lastAt`, unless others came since. */
  takeBack(key: string, at: Date, lastAt: Date): Promise<void>;
  clear(key: string): Promise<void>;
  deleteBefore(time: Date): Promise<void>;
}

export interface AuditEntry {
  readonly id: string;
  readonly at: Date;
  /** E-mail of who did it, or `command line`. */
  readonly actor: string;
  /** What was done, such as `key.create`. */
  readonly action: string;
  readonly projectId: string | null;
  readonly target: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface AuditRepository {
  insert(entry: AuditEntry): Promise<void>;
  /** The newest first. */
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

/** For the uses that hash or verify a password. */
export interface PasswordDeps extends AccountDeps {
  readonly passwords: Passwords;
}
