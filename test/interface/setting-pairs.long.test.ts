import { after, before, test } from 'node:test';
import { launchExternalBrowser } from '../../packages/server/src/composition/testing/external-browsers.ts';
import type { LaunchedBrowser } from '../../packages/server/src/engines/chromium/browsers/launch-browser.ts';
import { startTestS3 } from '../../packages/server/src/snapshots/testing/test-s3.ts';
import type { TestS3 } from '../../packages/server/src/snapshots/testing/test-s3.ts';
import { findPostgresPrograms, startTestPostgres } from '../../packages/server/src/store/testing/test-postgres.ts';
import type { TestPostgres } from '../../packages/server/src/store/testing/test-postgres.ts';
import { coverPairs, listFactors } from '../support/setting-samples.ts';
import type { Settings } from '../support/setting-samples.ts';
import { startUntilReady } from '../support/start-until-ready.ts';

let s3: TestS3;
let browser: LaunchedBrowser;
let postgres: TestPostgres | undefined;

before(async () => {
  s3 = await startTestS3();
  browser = await launchExternalBrowser();
  const programs = findPostgresPrograms();
  postgres = programs === undefined ? undefined : await startTestPostgres(programs);
});

after(async () => {
  await Promise.all([s3.stop(), browser.close(), postgres?.stop()]);
});

// Checks: interface-beyond
test('the service gets ready with each pair of documented settings', async (t) => {
  const factors = listFactors({
    ...(postgres ? { databaseUrl: 'postgres:' } : {}),
    s3: settingsOf(s3),
    ...(browser.socketUrl === null ? {} : { cdpUrl: browser.socketUrl }),
  });
  for (const [index, row] of coverPairs(factors.map(({ length }) => length)).entries()) {
    const settings: Settings = Object.assign({}, ...row.map((level, factor) => factors[factor]?.[level]));
    await t.test(`combination ${index + 1}`, async () => {
      const database = settings['WINNOW_DATABASE_URL'] && (await postgres?.createDatabase());
      await startUntilReady({ ...settings, ...(database ? { WINNOW_DATABASE_URL: database } : {}) });
    });
  }
});

function settingsOf(bucket: TestS3): Settings {
  const { bucket: name, endpoint = '', credentials } = bucket.createOptions();
  return {
    WINNOW_S3_BUCKET: name,
    WINNOW_S3_ENDPOINT: endpoint,
    WINNOW_S3_ACCESS_KEY_ID: credentials?.accessKeyId ?? '',
    WINNOW_S3_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? '',
    WINNOW_S3_PATH_STYLE: 'true',
    WINNOW_S3_REGION: 'eu-north-1',
  };
}
