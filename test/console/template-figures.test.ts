import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toSnapshotQuery } from '../../packages/console/src/lib/snapshot-query.ts';
import { formatFailed, formatServing } from '../../packages/console/src/lib/template-figures.ts';

test('failed pages are a share of all pages, not of served pages', () => {
  assert.equal(formatFailed({ served: 2, failed: 2 }), '50 %');
  assert.equal(formatFailed({ served: 0, failed: 3 }), '100 %');
  assert.equal(formatFailed({ served: 0, failed: 0 }), '–');
  assert.equal(formatServing({ served: 2, failed: 2 }), '2 of 4 pages; 2 fell back to the generic extraction');
});

test('a site with a port is searched for by host name and port', () => {
  assert.deepEqual(toSnapshotQuery('news.example.com'), { host: 'news.example.com' });
  assert.deepEqual(toSnapshotQuery('127.0.0.1:8080'), { host: '127.0.0.1', url: '//127.0.0.1:8080/' });
  assert.deepEqual(toSnapshotQuery('[::1]:8080'), { host: '[::1]', url: '//[::1]:8080/' });
  assert.deepEqual(toSnapshotQuery('.example.com'), { url: '.example.com' });
  assert.deepEqual(toSnapshotQuery('no host at all'), { host: 'no host at all' });
});
