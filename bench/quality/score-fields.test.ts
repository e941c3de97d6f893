import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agreeAsDays, agreeAsNames, isGiven } from './score-fields.ts';

test('names agree when one contains the other after normalising', () => {
  assert.ok(agreeAsNames('Jane Doe', 'By JANE  DOE, Editor'));
  assert.ok(agreeAsNames('The “Long” Way – Part 1', 'the "long" way: part 1'));
  assert.ok(!agreeAsNames('Jane Doe', 'John Doe'));
  assert.ok(!agreeAsNames('Jane Doe', null));
  assert.ok(!agreeAsNames('Jane Doe', ' – '), 'an output without letters agrees with no name');
});

test('days are compared as written; a month agrees with each of its days', () => {
  assert.ok(agreeAsDays('2024-09-26', '2024-09-26T23:30:00-05:00'));
  assert.ok(!agreeAsDays('2024-09-26', '2024-09-27'));
  assert.ok(agreeAsDays('2003-11', '2003-11-05'));
  assert.ok(!agreeAsDays('2024-09-26', null));
});

test('a value without letters or numbers counts as missing', () => {
  assert.ok(isGiven('Ωmega'));
  assert.ok(!isGiven(''));
  assert.ok(!isGiven(null));
  assert.ok(!isGiven(' - '));
});
