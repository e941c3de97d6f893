import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { listPageIds, readPage, type BenchmarkPage } from '../quality/benchmark-page.ts';

export interface SitePage extends BenchmarkPage {
  /** Set and id, as training names it. */
  readonly key: string;
  /** Folder of its HTML. */
  readonly folder: string;
  readonly url: string;
}

/** Sets with labels by a policy for pages of another set. */
const RELABELS: Readonly<Record<string, string>> = { 'wcxb-dev': 'wcxb-policy' };

/** Groups the pages of the sets by host; only hosts with at least `least` pages. */
export function listHosts(data: string, sets: readonly string[], least: number): Map<string, SitePage[]> {
  const pages = sets.flatMap((set) => listPageIds(join(data, set)).map((id) => readSitePage(data, set, id)));
  const withHost = pages.filter((page) => page.url !== '');
  const hosts = Map.groupBy(withHost, ({ url }) => new URL(url).hostname.replace(/^www\./, ''));
  const large = [...hosts].filter(([, group]) => group.length >= least);
  return new Map(large.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function readSitePage(data: string, set: string, id: string): SitePage {
  const folder = join(data, set);
  const relabelled = join(data, RELABELS[set] ?? '', 'ground-truth', `${id}.json`);
  const page = readPage(RELABELS[set] !== undefined && existsSync(relabelled) ? join(data, RELABELS[set]) : folder, id);
  return { ...page, key: `${set}/${id}`, folder, url: page.url ?? '' };
}
