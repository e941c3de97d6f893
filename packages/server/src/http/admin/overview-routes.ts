import { ENGINE_PREFERENCES, publicEngineName, type EngineName } from '@winnow/contract';
import { usedBytes } from '../../domain/storage/project-quota.ts';
import { listVisibleProjects, requireProject } from '../../domain/accounts/projects.ts';
import { readMetrics } from '../../domain/metrics/read-metrics.ts';
import { reuseReading } from '../answers/static-answer.ts';
import { checkAll } from '../routes/health-routes.ts';
import { defineHandlers, projectDeps, type AdminDeps } from './admin-operations.ts';

/** Several administrators look at once; some checks are slow. */
const HEALTH_REUSE_MS = 1000;

export const overviewHandlers = defineHandlers((deps) => {
  const { engineFamily } = deps.settings;
  // One name per engine, without aliases.
  const engines = ENGINE_PREFERENCES.map((name) => publicEngineName(name, engineFamily));
  const runChecks = reuseReading(() => checkAll(deps.readiness), HEALTH_REUSE_MS);
  return {
    readService: async ({ request }) => ({
      request_id: request.id,
      ...deps.service(),
      engines,
    }),
    readHealth: async ({ request }) => {
      const [checks, load] = await Promise.all([runChecks(), deps.load()]);
      return { request_id: request.id, checks, ...load };
    },
    readMetrics: async ({ request, query, signedIn }) => {
      const { user } = signedIn();
      const parts = projectDeps(deps);
      const projects =
        query.project_id === undefined
          ? await listVisibleProjects(parts, user)
          : [await requireProject(parts, user, query.project_id)];
      const range = query.range ?? '24h';
      const now = deps.accounts.now?.() ?? new Date();
      const ids = new Set(projects.map(({ id }) => id));
      const report = await readMetrics(deps.metrics, { range, now, projectIds: ids });
      return {
        request_id: request.id,
        range,
        ...report,
        engines: renameEngines(report.engines, engineFamily),
        storage: {
          ...report.storage,
          ...(await sumUsage(deps, ids)),
          quota_bytes: deps.pages.storage.limitBytes ?? null,
        },
        browsers: user.role === 'admin' ? report.browsers : null,
      };
    },
  };
});

async function sumUsage(
  { usage }: AdminDeps,
  projectIds: ReadonlySet<string>,
): Promise<{ batches: number; used_bytes: number }> {
  const own = (await usage.list()).filter(({ projectId }) => projectIds.has(projectId));
  const total = { batches: 0, used_bytes: 0 };
  for (const project of own) {
    total.batches += project.batches;
    total.used_bytes += usedBytes(project);
  }
  return total;
}

function renameEngines<T>(engines: Record<string, T>, family: string): Record<string, T> {
  return Object.fromEntries(
    Object.entries(engines).map(([name, series]) => [publicEngineName(name as EngineName, family), series]),
  );
}
