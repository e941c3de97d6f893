import type { RequestLogMode, ServiceResponse } from '@winnow/contract';
import type { AbortBroadcaster } from '../../domain/shared/time-limit.ts';
import type { PasswordDeps } from '../../domain/accounts/ports.ts';
import type { ProjectDeps } from '../../domain/accounts/projects.ts';
import type { BatchDeps } from '../../domain/batches/batches.ts';
import type { DumpDomDeps } from '../../domain/capture/dump-dom.ts';
import type { ExtractPageDeps } from '../../domain/extraction/extract-page.ts';
import type { PreviewRenderer } from '../../domain/inspection/find-main-content.ts';
import type { MetricRepository } from '../../domain/metrics/ports.ts';
import type { KeyRepository, ProjectRepository } from '../../domain/keys/key-ports.ts';
import type { SnapshotContent, SnapshotRepository } from '../../domain/storage/snapshot-ports.ts';
import type { RequestLogRepository } from '../../domain/request-log/ports.ts';
import type { DeleteSnapshotDeps } from '../../domain/storage/delete-snapshot.ts';
import type { UsageRepository } from '../../domain/storage/project-quota.ts';
import type { TemplateRepository, TemplateWorker } from '../../domain/templates/template-ports.ts';
import type { RouteSettings } from '../requests/settings.ts';
import type { SessionSettings } from './admin-session.ts';

export interface AdminDeps {
  readonly accounts: PasswordDeps;
  readonly projects: ProjectRepository;
  readonly keys: KeyRepository;
  readonly metrics: MetricRepository;
  readonly batches: Pick<BatchDeps, 'batches'>;
  readonly requests: RequestLogRepository;
  /** Recording mode, and limits per project. */
  readonly requestLog: {
    readonly mode: RequestLogMode;
    readonly maxAgeMs: number;
    readonly maxRows: number;
    readonly maxBytes: number;
  };
  readonly usage: UsageRepository;
  readonly pages: ExtractPageDeps & DumpDomDeps & DeleteSnapshotDeps;
  readonly previewRenderer: PreviewRenderer;
  /** A function, because the address is known only after listening. */
  readonly service: () => Omit<ServiceResponse, 'request_id' | 'engines'>;
  readonly settings: RouteSettings;
  readonly siteTemplates: TemplateAdminDeps;
  readonly sessionSettings: SessionSettings;
  /** Aborts running requests at shutdown. */
  readonly stop: AbortBroadcaster;
}

export function projectDeps(deps: AdminDeps): ProjectDeps {
  return { ...deps.accounts, projects: deps.projects, keys: deps.keys };
}

export interface TemplateAdminDeps {
  readonly repository: TemplateRepository;
  readonly worker: TemplateWorker;
  readonly snapshots: SnapshotRepository;
  readonly content: SnapshotContent;
  /** Makes changes visible at once. */
  readonly onChange: () => void;
}
