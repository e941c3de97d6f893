import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatFailed, formatServing } from '../../packages/console/src/lib/template-figures.ts';

test('failed pages are a share of all pages, not of served pages', () => {
  assert.equal(formatFailed({ served: 2, failed: 2 }), '50 %');
  assert.equal(formatFailed({ served: 0, failed: 3 }), '100 %');
  assert.equal(formatFailed({ served: 0, failed: 0 }), '–');
  assert.equal(formatServing({ served: 2, failed: 2 }), '2 of 4 pages; 2 fell back to the generic extraction');
});
