import type { Kysely } from 'kysely';
import type {
  AuditRepository,
  FailureRepository,
  LinkRepository,
  SessionRepository,
  UserRepository,
} from '../../../domain/accounts/ports.ts';
import { SqlAuditRepository } from './audit-repository.ts';
import { SqlFailureRepository } from './failure-repository.ts';
import { SqlLinkRepository } from './link-repository.ts';
import type { Database } from '../../schema/schema.ts';
import { SqlSessionRepository } from './session-repository.ts';
import { SqlUserRepository } from './user-repository.ts';

export interface AccountRepositories {
  readonly users: UserRepository;
  readonly sessions: SessionRepository;
  readonly links: LinkRepository;
  readonly failures: FailureRepository;
  readonly audit: AuditRepository;
}

export function createAccountRepositories(
  db: Kysely<Database>,
  options: { readonly locksRows: boolean },
): AccountRepositories {
  return {
    users: new SqlUserRepository(db, options),
    sessions: new SqlSessionRepository(db, options),
    links: new SqlLinkRepository(db),
    failures: new SqlFailureRepository(db),
    audit: new SqlAuditRepository(db),
  };
}

/** A day; failures count only for minutes. */
const KEEP_FAILURES_MS = 86_400_000;

/** Removes expired sessions, links and failures. */
export async function forgetExpiredAccounts(repositories: AccountRepositories, now: Date): Promise<void> {
  await repositories.sessions.deleteExpired(now);
  await repositories.links.deleteExpired(now);
  await repositories.failures.deleteBefore(new Date(now.getTime() - KEEP_FAILURES_MS));
}
