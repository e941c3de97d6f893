import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suggestName } from './suggest-name.ts';

const KNOWN = ['url', 'dom_id', 'formats', 'engine_preference', 'timeout_ms', 'match_timeout_ms', 'full_page'];

test('a name in another spelling, a part of a name and a slip of the pen suggest the name', () => {
  for (const [name, meant] of [
    ['URL', 'url'],
    ['fullPage', 'full_page'],
    ['full-page', 'full_page'],
    ['engine', 'engine_preference'],
    ['timeout', 'timeout_ms'],
    ['timeoutMs', 'timeout_ms'],
    ['match_timeout', 'match_timeout_ms'],
    ['format', 'formats'],
    ['fromats', 'formats'],
    ['urls', 'url'],
  ] as const)
    assert.equal(suggestName(name, KNOWN), meant, name);
});

test('a name that is like no other suggests nothing', () => {
  for (const name of ['', 'a', 'ur', 'colour', 'onlyMainContent', '_', 'x'.repeat(100_000)])
    assert.equal(suggestName(name, KNOWN), undefined, name.slice(0, 80));
});
