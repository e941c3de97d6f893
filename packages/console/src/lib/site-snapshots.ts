import { collect, paginate, type SnapshotBody, type TemplateDocument, type TemplateTestResponse } from '@winnow/client';
import { admin } from './admin.ts';

const MAX_SITE_SNAPSHOTS = 100;

export function snapshotQuery(projectId: string, domId: string) {
  return {
    queryKey: ['snapshot', projectId, domId],
    queryFn: async () => (await admin.snapshot(projectId, domId)).snapshot,
  };
}

export function htmlQuery(projectId: string, domId: string) {
  return {
    queryKey: ['snapshot-html', projectId, domId],
    queryFn: async () => (await admin.snapshotHtml(projectId, domId)).html,
    staleTime: Infinity,
  };
}

/** Stored snapshots of a template's hosts with a 2xx status, newest first. */
export async function listSiteSnapshots(projectId: string, hosts: readonly string[]): Promise<SnapshotBody[]> {
  const lists = hosts.slice(0, 5).map((host) => {
    // The list filters whole hosts only, not suffixes.
    const part = host.startsWith('.') ? { url: host } : { host };
    const load = (cursor: string | undefined) =>
      admin.snapshots(projectId, { ...part, ...(cursor === undefined ? {} : { cursor }) });
    return collect(paginate(load), MAX_SITE_SNAPSHOTS);
  });
  const all = (await Promise.all(lists)).flat();
  return all
    .filter(({ status_code: status }) => status >= 200 && status < 300)
    .toSorted((a, b) => b.fetched_at.localeCompare(a.fetched_at))
    .slice(0, MAX_SITE_SNAPSHOTS);
}

const TEST_BATCH = 20;

/** Runs a call for all snapshots in batches and joins the answers. */
export async function inBatches<T>(
  domIds: readonly string[],
  call: (batch: string[]) => Promise<{ items: T[] }>,
): Promise<T[]> {
  const results: T[] = [];
  for (let start = 0; start < domIds.length; start += TEST_BATCH) {
    results.push(...(await call(domIds.slice(start, start + TEST_BATCH))).items);
  }
  return results;
}

/**
 * Id of the snapshot on which the template fills most fields, among the newest; of equals the newest.
 */
export async function findBestSnapshot(
  projectId: string,
  template: TemplateDocument,
  snapshots: readonly SnapshotBody[],
): Promise<string | undefined> {
  const ids = snapshots.slice(0, TEST_BATCH).map(({ dom_id: id }) => id);
  const document = { ...template } as Record<string, unknown>;
  const { items } = await admin.previewTemplate({ project_id: projectId, dom_ids: ids, document });
  const best = items.toSorted((a, b) => countFilled(b) - countFilled(a))[0];
  return best !== undefined && countFilled(best) > 0 ? best.page : ids[0];
}

function countFilled({ ok, fields }: TemplateTestResponse['items'][number]): number {
  return fields.filter(({ selector }) => selector !== null).length + (ok ? fields.length : 0);
}
