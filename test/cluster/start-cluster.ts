/** A cluster on loopback. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BROWSER_CANDIDATES } from '../../packages/server/src/engines/chromium/browsers/browser-flags.ts';
import { launchBrowser } from '../../packages/server/src/engines/chromium/browsers/launch-browser.ts';
import type { LaunchedBrowser } from '../../packages/server/src/engines/chromium/browsers/launch-browser.ts';
import type { S3SnapshotOptions } from '../../packages/server/src/snapshots/s3-snapshot-content.ts';
import { startTestS3 } from '../../packages/server/src/snapshots/testing/test-s3.ts';
import { startTestPostgres } from '../../packages/server/src/store/testing/test-postgres.ts';
import type { TestPostgres } from '../../packages/server/src/store/testing/test-postgres.ts';
import { startSite } from '../batches/batch-site.ts';
import type { BatchSite } from '../batches/batch-site.ts';
import { describeS3 } from './describe-s3.ts';
import type { BatchTarget } from './follow-batch.ts';
import { startBalancer } from './start-balancer.ts';
import type { Balancer } from './start-balancer.ts';
import { startNode } from './start-node.ts';
import type { Node } from './start-node.ts';

export interface ClusterParts {
  /** Folder of the programs of PostgreSQL, and the program nginx. */
  readonly postgres: string;
  readonly nginx: string;
  readonly browsers: number;
  /** Additional environment variables of the nodes. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface Cluster {
  readonly site: BatchSite;
  readonly database: TestPostgres;
  readonly databaseUrl: string;
  readonly s3: S3SnapshotOptions;
  readonly browsers: readonly LaunchedBrowser[];
  readonly nodes: readonly Node[];
  readonly balancer: Balancer;
  /** The balancer, with the key of the first start. */
  readonly target: BatchTarget;
  /** Restarts a killed node on its port and data. */
  startAgain(index: number): Promise<void>;
  close(): Promise<void>;
}

const NAMES = ['one', 'two', 'three'];

/** Three nodes, PostgreSQL, S3, browsers and a load balancer. */
export async function startCluster({ postgres, nginx, browsers: count, environment }: ClusterParts): Promise<Cluster> {
  const folder = await mkdtemp(path.join(tmpdir(), 'winnow-cluster-'));
  const closers: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const one of closers.toReversed())
      await one().catch((error: unknown) => process.stderr.write(`${String(error)}\n`));
  };
  try {
    const site = await startSite();
    closers.push(() => site.close());
    const database = await startTestPostgres(postgres);
    closers.push(() => database.stop());
    const s3Server = await startTestS3();
    closers.push(() => s3Server.stop());
    const browsers = await Promise.all(Array.from({ length: count }, launch));
    closers.push(() => Promise.all(browsers.map((browser) => browser.close())));
    const databaseUrl = await database.createDatabase();
    const s3 = s3Server.createOptions();
    const variables = {
      ...describeS3(s3),
      WINNOW_DATABASE_URL: databaseUrl,
      WINNOW_EGRESS_ALLOW: new URL(site.url).host,
      WINNOW_CDP_URLS: browsers.map((browser) => browser.socketUrl ?? '').join(','),
      ...environment,
    };
    const nodes: Node[] = [];
    closers.push(() => Promise.all(nodes.map((node) => node.kill())));
    for (const name of NAMES) nodes.push(await startNode(name, folder, variables));
    const balancer = await startBalancer(
      nginx,
      folder,
      nodes.map((node) => node.url),
    );
    closers.push(() => balancer.stop());
    return {
      site,
      database,
      databaseUrl,
      s3,
      browsers,
      nodes,
      balancer,
      target: { url: balancer.url, key: nodes[0]?.key ?? '' },
      startAgain: async (index) => {
        const { port } = new URL(nodes[index]?.url ?? '');
        nodes[index] = await startNode(NAMES[index] ?? '', folder, { ...variables, WINNOW_PORT: port });
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function launch(): Promise<LaunchedBrowser> {
  return launchBrowser({
    executables: BROWSER_CANDIDATES,
    userAgent: 'Winnow test',
    acceptLanguage: 'en',
    extraArgs: [],
    withPort: true,
  });
}
