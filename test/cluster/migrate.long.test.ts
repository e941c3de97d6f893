/** The migration of docs/scaling.md: from the embedded defaults to PostgreSQL and S3. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startTestS3 } from '../../packages/server/src/snapshots/testing/test-s3.ts';
import { findPostgresPrograms, startTestPostgres } from '../../packages/server/src/store/testing/test-postgres.ts';
import { startSite } from '../batches/batch-site.ts';
import { describeS3 } from './describe-s3.ts';
import { startNode } from './start-node.ts';

const PROGRAM = path.join(import.meta.dirname, '../../packages/server/src/cli/winnow.ts');
/** The used fields of both endpoints' answers. */
interface Answer {
  readonly dom_id?: string;
  readonly result?: { readonly main_text: string };
}

const programs = findPostgresPrograms();

test(
  'a cluster serves snapshots that were migrated from a single process',
  { skip: programs === undefined ? "needs Debian's postgresql" : false },
  async (t) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'winnow-move-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const [database, s3, site] = await Promise.all([startTestPostgres(programs ?? ''), startTestS3(), startSite()]);
    t.after(() => Promise.all([database.stop(), s3.stop(), site.close()]));
    const environment = { WINNOW_EGRESS_ALLOW: new URL(site.url).host };

    const old = await startNode('old', folder, environment);
    const headers = { 'Content-Type': 'application/json', 'X-API-Key': old.key ?? '' };
    const post = async (url: string, body: object): Promise<Answer> => {
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      assert.equal(response.status, 200);
      return (await response.json()) as Answer;
    };
    const dump = { url: site.pageUrl(5), options: { engine_preference: 'http' } };
    const { dom_id: domId } = await post(`${old.url}/v1/dom/dump`, dump);
    assert.equal(await old.stop(), 0);

    const databaseUrl = await database.createDatabase();
    const cluster = describeS3(s3.createOptions());
    const moved = await promisify(execFile)(
      process.execPath,
      [PROGRAM, 'migrate-store', '--to', databaseUrl, '--snapshots', '--json'],
      { env: { PATH: process.env['PATH'], WINNOW_DATA_DIR: path.join(folder, 'old'), ...cluster } },
    );
    const report = JSON.parse(moved.stdout) as { tables: { same: boolean }[]; snapshots: number };
    assert.ok(report.tables.every(({ same }) => same));
    assert.ok(report.snapshots >= 1);

    const node = await startNode('new', folder, { ...environment, ...cluster, WINNOW_DATABASE_URL: databaseUrl });
    t.after(() => node.kill());
    assert.equal(node.key, undefined, 'it is not a first start');
    const { result } = await post(`${node.url}/v1/extract`, { extract: { dom_id: domId } });
    assert.match(result?.main_text ?? '', /page 5/);
  },
);
