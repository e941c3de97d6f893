import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecretBox } from './secrets.ts';

const box = createSecretBox(() => 'a key of the operator');

// Checks: threat-option-secrets
test('a sealed text does not reveal its content and opens only for its owner', () => {
  const sealed = box.seal('Bearer f00d', 'prj_a');
  assert.doesNotMatch(sealed, /f00d|Bearer/);
  assert.notEqual(box.seal('Bearer f00d', 'prj_a'), sealed);
  assert.equal(box.open(sealed, 'prj_a'), 'Bearer f00d');
  assert.equal(box.open(sealed, 'prj_b'), undefined);
  assert.equal(createSecretBox(() => 'another key').open(sealed, 'prj_a'), undefined);
});

// Checks: threat-option-secrets
test('a changed or truncated sealed text does not open', () => {
  const sealed = box.seal('Bearer f00d', 'prj_a');
  const other = sealed.at(-1) === 'A' ? 'B' : 'A';
  for (const changed of [
    '',
    'v1.',
    'v1.AAAA',
    sealed.slice(3),
    sealed.slice(0, -6),
    sealed.slice(0, -2) + other + other,
  ])
    assert.equal(box.open(changed, 'prj_a'), undefined, changed);
});
