import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diffTexts } from './diff-texts.ts';

test('a diff has the changed lines with a line around them', () => {
  const before = 'One\n\nTwo\n\nThree\n\nFour';
  assert.deepEqual(diffTexts({ before, after: before.replace('Three', 'Drei') }), {
    diff: '@@ -4,3 +4,3 @@\n \n-Three\n+Drei\n \n',
  });
});

test('a diff is bounded in length, also within one long line, and left out for texts without common lines', () => {
  const lines = (word: string, count: number): string =>
    Array.from({ length: count }, (_, index) => `${word} ${index}`).join('\n');
  const cut = diffTexts({ before: '', after: lines('word', 1900) });
  assert.ok((cut.diff?.length ?? 0) <= 20_000 && (cut.diff ?? '').length > 10_000);
  const long = diffTexts({ before: 'x', after: `${'a'.repeat(19_990)}😀${'b'.repeat(100_000)}` });
  assert.deepEqual([(long.diff?.length ?? 0) <= 20_000, long.diff?.isWellFormed(), long.diff_cut], [true, true, true]);
  assert.match(long.diff ?? '', /^-x\n\+a{1000}/m, 'it shows what changed');
  assert.deepEqual(diffTexts({ before: lines('a', 50_000), after: lines('b', 50_000) }), { diff_cut: true });
});
