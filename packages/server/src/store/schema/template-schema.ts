/** Tables of site templates; conventions as in `schema.ts`. */
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
  /** Null for shared templates. */
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
  /** 1: a person set the state. */
  by_hand: number | null;
  created_at: number;
  changed_at: number;
}

/** Hosts of a version, and host suffixes with a leading dot. */
export interface TemplateHostTable {
  host: string;
  template_id: string;
  version: number;
}

/** State of learning for a host of a project, and the owner of its lease. */
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

/** Pages that a version served or failed on, per day. */
export interface TemplateServingTable {
  template_id: string;
  version: number;
  /** Days since 1970, UTC. */
  day: number;
  served: number;
  failed: number;
}
