import { presentStored } from '../answers/attachments.ts';
import { presentFields } from '../answers/present.ts';
import {
  publicEngineName,
  type Account,
  type AuditEntry as AuditEntryBody,
  type Invitation,
  type KeyBody,
  type Member,
  type ProjectBody,
  type SessionResponse,
  type SnapshotBody,
} from '@winnow/contract';
import type { AuditEntry, OneTimeLink, User } from '../../domain/accounts/ports.ts';
import type { SignedIn } from '../../domain/accounts/sessions.ts';
import type { ApiKey, Project } from '../../domain/keys/key-ports.ts';
import type { SnapshotRow } from '../../domain/storage/snapshot-ports.ts';

function presentAccount({ id, email, role }: User): Account {
  return { id, email, role };
}

export function presentSession(requestId: string, signedIn: SignedIn): SessionResponse {
  return {
    request_id: requestId,
    user: presentAccount(signedIn.user),
    csrf_token: signedIn.csrfToken,
    expires_at: signedIn.session.expiresAt.toISOString(),
  };
}

export function presentProject(project: Project): ProjectBody {
  return presentFields(project, ['id', 'name', 'createdAt', 'archivedAt', 'learns']);
}

export function presentKey(key: ApiKey): KeyBody {
  return {
    ...presentFields(key, ['id', 'projectId', 'name', 'kind', 'scope', 'prefix', 'quotaPerMinute']),
    ...presentFields(key, ['createdAt', 'expiresAt', 'revokedAt', 'lastUsedAt']),
  };
}

export function presentMember(user: User, projectIds: readonly string[]): Member {
  const times = presentFields(user, ['createdAt', 'lastSeenAt', 'disabledAt']);
  return { ...presentAccount(user), project_ids: [...projectIds], ...times };
}

export function presentInvitation(link: OneTimeLink): Invitation {
  const fields = presentFields(link, ['id', 'kind', 'role', 'createdAt', 'expiresAt']);
  return { ...fields, email: link.email ?? '', project_ids: [...link.projectIds] };
}

export function presentAuditEntry(entry: AuditEntry): AuditEntryBody {
  const fields = presentFields(entry, ['id', 'at', 'actor', 'action', 'projectId', 'target']);
  return { ...fields, detail: { ...entry.detail } };
}

export function presentSnapshot(row: SnapshotRow, engineFamily: string): SnapshotBody {
  return {
    ...presentFields(row, ['domId', 'url', 'finalUrl', 'statusCode', 'fetchedAt', 'contentType', 'filtered', 'title']),
    ...presentFields(row, ['bytes', 'storedBytes']),
    engine: publicEngineName(row.engine, engineFamily),
    ...presentStored(row),
  };
}
