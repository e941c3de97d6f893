import { newId } from '../shared/new-id.ts';
import type { AccountDeps, AuditEntry } from './ports.ts';

export interface Actor {
  readonly email: string;
}

export const COMMAND_LINE: Actor = { email: 'command line' };

export type AuditNote = Pick<AuditEntry, 'action'> & Partial<Pick<AuditEntry, 'projectId' | 'target' | 'detail'>>;

/** Adds an entry. Notes contain names and ids, never secrets. */
export async function recordAudit(
  deps: Pick<AccountDeps, 'audit' | 'now'>,
  actor: Actor,
  note: AuditNote,
): Promise<void> {
  await deps.audit.insert({
    id: newId('aud'),
    at: deps.now?.() ?? new Date(),
    actor: actor.email,
    action: note.action,
    projectId: note.projectId ?? null,
    target: note.target ?? null,
    detail: note.detail ?? {},
  });
}
