import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { induceTemplate } from '@winnow/extract/templates';
import { SiteTemplates } from '../../packages/server/src/domain/templates/site-templates.ts';
import { makeTestPage } from '../../packages/server/src/domain/templates/testing/test-site.ts';
import { openStore } from '../../packages/server/src/store/open-store.ts';
import { inlineExtractor, inlineTemplates } from '../../packages/server/src/workers/testing/inline-workers.ts';

/** Cost of matching with this number of stored templates. */
export interface MatchCost {
  readonly stored: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  /** Growth of the process's memory over all matches, in megabytes. */
  readonly grownMb: number;
}

/** Hosts that are visited repeatedly, so that most visits are not the first. */
const HOSTS = 1_000;
const VISITS = 5_000;

/** Fills a store with templates of different hosts, and matches pages of some of the hosts. */
export async function measureMatching(stored: number): Promise<MatchCost> {
  const folder = await mkdtemp(join(tmpdir(), 'winnow-match-'));
  const file = join(folder, 'winnow.db');
  const store = await openStore({ location: { sqliteFile: file }, onError: (error) => console.error(error) });
  try {
    fill(file, stored);
    const templates = new SiteTemplates({
      templates: store.siteTemplates,
      learning: store.learning,
      worker: inlineTemplates,
      extractor: inlineExtractor,
      pages: { read: async () => undefined },
      owner: 'bench',
      minConfidence: 0,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    });
    const times: number[] = [];
    await visit(templates, stored, 50, []);
    const before = measureMemory();
    await visit(templates, stored, VISITS, times);
    const grownMb = (measureMemory() - before) / (1024 * 1024);
    await templates.close();
    const sorted = times.toSorted((a, b) => a - b);
    return {
      stored,
      medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0,
      p95Ms: sorted[Math.floor(sorted.length * 0.95)] ?? 0,
      grownMb,
    };
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
}

async function visit(templates: SiteTemplates, stored: number, count: number, times: number[]): Promise<void> {
  const budget = { timeoutMs: 60_000, signal: new AbortController().signal };
  for (let i = 0; i < count; i++) {
    const host = `host-${(i * 7919) % Math.min(HOSTS, stored)}.example.com`;
    const page = {
      ...makeTestPage(i % 50, 'first', host),
      contentLanguage: null,
      formats: [],
      projectId: 'prj',
      domId: 'dom',
    };
    const started = performance.now();
    const { template } = await templates.match(page, budget);
    times.push(performance.now() - started);
    if (!template.id.startsWith('tpl_')) throw new Error(`no template matched on ${host}`);
  }
}

function measureMemory(): number {
  globalThis.gc?.();
  return process.memoryUsage().rss;
}

/** Writes directly to the tables: the repository would wait for the disk on every insert. */
function fill(file: string, count: number): void {
  const induction = induceTemplate([1, 2, 3].map((index) => makeTestPage(index)));
  if (!induction.ok) throw new Error(induction.reason);
  const database = new DatabaseSync(file);
  database.exec('begin');
  const template = database.prepare("insert into templates values (?, 1, 'active', ?, ?, 0, 0, 0, 0, 0, '', 0, 0)");
  const hosts = database.prepare('insert into template_hosts values (?, ?, 1)');
  for (let i = 0; i < count; i++) {
    const host = `host-${i}.example.com`;
    const id = `tpl_${String(i).padStart(26, '0')}`;
    const document = { ...induction.template, format: 1, hosts: [host], provenance: { source: 'induced' } };
    template.run(id, 'example.com', JSON.stringify(document));
    hosts.run(host, id);
  }
  database.exec('commit');
  database.close();
}
