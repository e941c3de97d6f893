/** The tables of site templates; conventions as in `schema.ts`. */
import type { TemplateState } from '@winnow/contract';

export interface TemplateTables {
  templates: TemplateTable;
  template_hosts: TemplateHostTable;
  project_learning_hosts: LearningHostTable;
  project_learning_pages: LearningPageTable;
  template_serving: TemplateServingTable;
}

export interface TemplateTable {
  id: string;
  version: number;
  state: TemplateState;
  /** Null: shared. */
  project_id: string | null;
  domain: string;
  /** JSON of the document. */
  document: string;
  served: number;
  failed: number;
  compared: number;
  disagreed: number;
  drift: number;
  note: string;
  created_at: number;
  changed_at: number;
}

/** Which hosts, and suffixes with a dot before them, a version names. */
export interface TemplateHostTable {
  host: string;
  template_id: string;
  version: number;
}

/** Where learning stands for a host in one project, and who holds its lease. */
export interface LearningHostTable {
  project_id: string;
  host: string;
  pages: number;
  next_attempt: number;
  lease_owner: string | null;
  lease_until: number;
}

export interface LearningPageTable {
  host: string;
  url: string;
  project_id: string;
  dom_id: string;
  confidence: number;
  seen_at: number;
}

/** Pages that a version served, and those on which it failed, of one day. */
export interface TemplateServingTable {
  template_id: string;
  version: number;
  /** Days since 1970, UTC. */
  day: number;
  served: number;
  failed: number;
}
