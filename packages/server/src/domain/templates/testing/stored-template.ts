import type { TemplateDocument } from '@winnow/contract';
import { NEW_HEALTH } from '../template-ports.ts';
import type { StoredTemplate } from '../template-ports.ts';

export function makeTemplateDocument(
  parts: Pick<TemplateDocument, 'hosts'> & Partial<TemplateDocument>,
): TemplateDocument {
  return {
    format: 1,
    url_shapes: [],
    signature: null,
    fields: {},
    content: null,
    custom: [],
    invariants: { required: [], main_text_words: null },
    provenance: { source: 'hand' },
    ...parts,
  };
}

const T0 = new Date(Date.UTC(2026, 0, 1));

/** Creates a template without rules. */
export function makeStoredTemplate(parts: Partial<StoredTemplate>): StoredTemplate {
  return {
    id: 'tpl_00000000000000000000000001',
    version: 1,
    state: 'active',
    projectId: null,
    domain: 'example.com',
    document: makeTemplateDocument({ hosts: ['a.example.com', '.b.example.com'] }),
    health: NEW_HEALTH,
    note: '',
    createdAt: T0,
    changedAt: T0,
    ...parts,
  };
}
