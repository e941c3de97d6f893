/** Pages of a PDF with more pieces of text than arguments fit on the stack. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectWords } from './build-blocks.ts';
import { joinRows, toLine } from './lines.ts';
import { orderColumns } from './order-columns.ts';
import type { TextRun } from './page-content.ts';

const PIECES = 200_000;

function makeRun(index: number, fields: Partial<TextRun> = {}): TextRun {
  return {
    text: 'a',
    x0: index / 100,
    x1: index / 100 + 0.01,
    y: 10,
    size: 10,
    isBold: false,
    isMono: false,
    isRtl: false,
    hasSpaceBefore: false,
    href: undefined,
    ...fields,
  } as TextRun;
}

for (const isRtl of [false, true])
  test(`${PIECES} pieces of ${isRtl ? 'right-to-left' : 'left-to-right'} text are one line`, () => {
    // Right to left, some pieces in the other direction.
    const runs = Array.from({ length: PIECES }, (_, index) => makeRun(index, { isRtl: isRtl && index % 3 > 0 }));
    const line = toLine(runs);
    assert.deepEqual([line.x0, line.x1, line.text.length], [0, (PIECES - 1) / 100 + 0.01, PIECES]);
  });

test('left-to-right runs keep their order in a right-to-left line', () => {
  const runs = ['1', '2', 'ב', 'א', '3', '4', '5', 'ג'].map((text, index) =>
    makeRun(index, { text, isRtl: text > '9', size: text > '9' ? 100 : 10 }),
  );
  const line = toLine(runs.map((run) => ({ ...run, text: run.isRtl ? run.text.repeat(3) : run.text })));
  assert.equal(line.text, 'גגג345אאאבבב12');
});

// Checks: threat-expensive-page
test('a page of many lines is ordered', () => {
  const lines = Array.from({ length: PIECES }, (_, index) => toLine([makeRun(1, { y: index * 20 })]));
  const [flow] = orderColumns(lines);
  assert.equal(flow?.length, PIECES);
  assert.equal(joinRows(lines).length, PIECES);
});

// Checks: threat-expensive-page
test('a line of millions of hyphens is read', () => {
  assert.ok(collectWords(['a-'.repeat(5_000_000)]).size > 0);
});
