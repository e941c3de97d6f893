/** Tables of the console's accounts; conventions as in `schema.ts`. */
import type { LinkKind, Role } from '@winnow/contract';

export interface AccountTables {
  users: UserTable;
  memberships: MembershipTable;
  sessions: SessionTable;
  one_time_links: OneTimeLinkTable;
  sign_in_failures: SignInFailureTable;
  audit_entries: AuditEntryTable;
}

export interface UserTable {
  id: string;
  email: string;
  /** Lower case, unique. */
  email_key: string;
  role: Role;
  password_hash: string;
  created_at: number;
  disabled_at: number | null;
  last_seen_at: number | null;
}

export interface MembershipTable {
  user_id: string;
  project_id: string;
}

export interface SessionTable {
  hash: string;
  user_id: string;
  created_at: number;
  expires_at: number;
  last_seen_at: number;
}

export interface OneTimeLinkTable {
  id: string;
  hash: string;
  kind: LinkKind;
  email: string | null;
  email_key: string | null;
  role: Role;
  /** JSON list. */
  project_ids: string;
  created_at: number;
  expires_at: number;
}

export interface SignInFailureTable {
  /** SHA-256 of the counted value, so that the table holds no addresses of sign-in attempts. */
  key: string;
  count: number;
  last_at: number;
}

export interface AuditEntryTable {
  id: string;
  at: number;
  actor: string;
  action: string;
  project_id: string | null;
  target: string | null;
  /** JSON object. */
  detail: string;
}
