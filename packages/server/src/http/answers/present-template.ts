import type { TemplateSummary } from '@winnow/contract';
import { nameVersion } from '../../domain/templates/template-ports.ts';
import type { StoredTemplate } from '../../domain/templates/template-ports.ts';

/** Describes a version of a template without its document. */
export function presentTemplate(stored: StoredTemplate): TemplateSummary {
  const { id, version, state, projectId, domain, document, note, health, createdAt, changedAt } = stored;
  return {
    name: nameVersion(stored),
    id,
    version,
    state,
    project_id: projectId,
    domain,
    hosts: document.hosts,
    source: document.provenance.source,
    note,
    health: { ...health },
    created_at: createdAt.toISOString(),
    changed_at: changedAt.toISOString(),
  };
}
