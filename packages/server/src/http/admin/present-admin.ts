import { presentStored } from '../answers/attachments.ts';
import { publicEngineName } from '@winnow/contract';
import type {
  Account,
  AuditEntry as AuditEntryBody,
  Invitation,
  KeyBody,
  Member,
  ProjectBody,
  SessionResponse,
  SnapshotBody,
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
  return {
    id: project.id,
    name: project.name,
    created_at: project.createdAt.toISOString(),
    archived_at: toText(project.archivedAt),
    learns: project.learns,
  };
}

export function presentKey(key: ApiKey): KeyBody {
  return {
    id: key.id,
    project_id: key.projectId,
    name: key.name,
    kind: key.kind,
    scope: key.scope,
    prefix: key.prefix,
    quota_per_minute: key.quotaPerMinute,
    created_at: key.createdAt.toISOString(),
    expires_at: toText(key.expiresAt),
    revoked_at: toText(key.revokedAt),
    last_used_at: toText(key.lastUsedAt),
  };
}

export function presentMember(user: User, projectIds: readonly string[]): Member {
  return {
    ...presentAccount(user),
    project_ids: [...projectIds],
    created_at: user.createdAt.toISOString(),
    last_seen_at: toText(user.lastSeenAt),
    disabled_at: toText(user.disabledAt),
  };
}

export function presentInvitation(link: OneTimeLink): Invitation {
  return {
    id: link.id,
    kind: link.kind,
    email: link.email ?? '',
    role: link.role,
    project_ids: [...link.projectIds],
    created_at: link.createdAt.toISOString(),
    expires_at: link.expiresAt.toISOString(),
  };
}

export function presentAuditEntry(entry: AuditEntry): AuditEntryBody {
  return {
    id: entry.id,
    at: entry.at.toISOString(),
    actor: entry.actor,
    action: entry.action,
    project_id: entry.projectId,
    target: entry.target,
    detail: { ...entry.detail },
  };
}

export function presentSnapshot(row: SnapshotRow, engineFamily: string): SnapshotBody {
  return {
    dom_id: row.domId,
    url: row.url,
    final_url: row.finalUrl,
    status_code: row.statusCode,
    engine: publicEngineName(row.engine, engineFamily),
    fetched_at: row.fetchedAt.toISOString(),
    content_type: row.contentType,
    filtered: row.filtered,
    title: row.title,
    bytes: row.bytes,
    stored_bytes: row.storedBytes,
    ...presentStored(row),
  };
}

function toText(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}
