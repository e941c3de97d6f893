import { test } from 'node:test';
import { extract } from '../src/index.ts';
import { assertSound } from './assert-sound.ts';
import { HOSTILE_PAGES } from './hostile-pages.ts';

// bench/speed --hostile measures the time, always at full size.
for (const page of HOSTILE_PAGES) {
  // Checks: threat-expensive-page, threat-regular-expression
  test(`survives ${page.name}`, () => {
    assertSound(extract(page.build(page.isHeavy ? 0.05 : 1), { url: 'https://example.org/page' }));
  });
}
