import type { KeyBody, ProjectBody } from '@winnow/client';
import { admin } from './admin.ts';
import { formatTime, hostOf } from './format.ts';

export interface Found {
  readonly label: string;
  /** What tells it from others of its kind. */
  readonly note?: string;
  readonly href: string;
}

export interface FoundGroup {
  readonly value: string;
  readonly items: readonly Found[];
}

/** Of each kind. */
const MOST = 5;

/** Shorter texts would find everything. */
const MIN_LENGTH = 2;

const PAGES = ['overview', 'playground', 'requests', 'batches', 'snapshots', 'templates'] as const;
const SETTINGS = ['keys', 'examples', 'projects', 'alerts', 'account'] as const;

/** Finds what the console has in memory: its pages, projects and keys. */
export function findKnown(
  text: string,
  {
    projects,
    project,
    keys,
  }: { projects: readonly ProjectBody[]; project: ProjectBody | undefined; keys: readonly KeyBody[] },
): FoundGroup[] {
  const matches = (...texts: string[]): boolean => texts.some((one) => one.toLowerCase().includes(text.toLowerCase()));
  const pages = [
    ...(project ? PAGES.map((path) => ({ label: capitalize(path), href: `/p/${project.id}/${path}` })) : []),
    ...SETTINGS.map((path) => ({ label: `Settings: ${path}`, href: `/settings/${path}` })),
  ].filter(({ label }) => matches(label));
  return withoutEmpty([
    { value: 'Pages', items: text === '' ? pages.slice(0, PAGES.length) : pages.slice(0, MOST) },
    {
      value: 'Projects',
      items: projects
        .filter(({ id, name }) => matches(id, name))
        .slice(0, MOST)
        .map(({ id, name }) => ({ label: name, note: id, href: `/p/${id}/overview` })),
    },
    {
      value: 'Keys',
      items: keys
        .filter(({ name, prefix }) => text !== '' && matches(name, prefix))
        .slice(0, MOST)
        .map(({ name, prefix }) => ({ label: name, note: `${prefix}…`, href: '/settings/keys' })),
    },
  ]);
}

/** Asks the service for hosts, snapshots and requests; an id leads straight to what it names. */
export async function findStored(text: string, project: ProjectBody): Promise<FoundGroup[]> {
  if (text.length < MIN_LENGTH) return [];
  const base = `/p/${project.id}`;
  const named = nameOfId(text);
  if (named !== undefined && named.list !== 'requests')
    return [
      { value: named.group, items: [{ label: text, href: `${base}/${named.list}/${encodeURIComponent(text)}` }] },
    ];
  if (named) {
    const { items } = await admin.requests(project.id, { request_id: text, limit: MOST });
    return withoutEmpty([{ value: 'Requests', items: items.map((one) => describeRequest(base, one)) }]);
  }
  const { items: snapshots } = await admin.snapshots(project.id, { url: text, limit: 50 });
  const hosts = [...new Set(snapshots.map(({ final_url: url }) => hostOf(url)))].filter((host) => host.includes(text));
  const host = hosts[0] ?? (/^[\w-]+(?:\.[\w-]+)+(?::\d+)?$/.test(text) ? text : undefined);
  const requests = host === undefined ? [] : (await admin.requests(project.id, { host, limit: MOST })).items;
  return withoutEmpty([
    {
      value: 'Hosts',
      items: hosts
        .slice(0, MOST)
        .map((one) => ({ label: one, note: 'its requests', href: `${base}/requests?host=${encodeURIComponent(one)}` })),
    },
    {
      value: 'Snapshots',
      items: snapshots.slice(0, MOST).map(({ dom_id: id, title, final_url: url }) => ({
        label: title ?? url,
        note: title === null ? id : url,
        href: `${base}/snapshots/${id}`,
      })),
    },
    { value: 'Requests', items: requests.map((one) => describeRequest(base, one)) },
  ]);
}

const IDS = [
  { prefix: 'req_', list: 'requests', group: 'Requests' },
  { prefix: 'dom_', list: 'snapshots', group: 'Snapshots' },
  { prefix: 'bat_', list: 'batches', group: 'Batches' },
  { prefix: 'tpl_', list: 'templates', group: 'Templates' },
] as const;

function nameOfId(text: string): (typeof IDS)[number] | undefined {
  return IDS.find(({ prefix }) => text.startsWith(prefix) && text.length > prefix.length);
}

function describeRequest(
  base: string,
  { id, url, endpoint, status, at }: { id: string; url: string | null; endpoint: string; status: number; at: string },
): Found {
  return { label: url ?? endpoint, note: `${status}, ${formatTime(at)}`, href: `${base}/requests/${id}` };
}

function withoutEmpty(groups: readonly FoundGroup[]): FoundGroup[] {
  return groups.filter(({ items }) => items.length > 0);
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
