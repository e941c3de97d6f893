import assert from 'node:assert/strict';
import { test } from 'node:test';
import { presentError } from '../../http/answers/present.ts';
import { AppError } from '../shared/errors.ts';
import type { ClaimedItem } from './batch-ports.ts';
import { describeItemFailure } from './run-batch-item.ts';

const presenter = { error: presentError, page: () => assert.fail() };

const ITEM: ClaimedItem = {
  batchId: 'bat_1',
  projectId: 'prj_1',
  index: 1,
  target: { kind: 'url', value: 'https://example.com/a' },
  options: {
    respectRobots: true,
    formats: [],
    crawl: {
      url: 'https://example.com/',
      limit: 10,
      maxDepth: 3,
      include: [],
      exclude: [],
      scope: 'host',
      sitemap: 'skip',
    },
  },
  attempt: 1,
  depth: 1,
};

test('a crawl counts pages whose links were not read, because the service failed on them', () => {
  const unread = (item: ClaimedItem, code: 'internal' | 'unsupported_content'): number | undefined =>
    describeItemFailure({ presenter }, item, new AppError(code, 'it failed')).found?.skipped.unread;
  assert.equal(unread(ITEM, 'internal'), 1);
  assert.equal(unread(ITEM, 'unsupported_content'), 1);
  assert.equal(unread({ ...ITEM, options: { respectRobots: true, formats: [] } }, 'internal'), undefined);
});
