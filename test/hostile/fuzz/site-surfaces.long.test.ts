import { after, test } from 'node:test';
import { attackSurface } from './attack-surface.ts';
import { SITE_SURFACES } from './site-surfaces.ts';
import { Fuzzer } from './run-fuzz.ts';

const fuzzer = new Fuzzer();
after(() => fuzzer.close());

for (const surface of SITE_SURFACES)
  // Checks: threat-unforeseen-input
  test(`changed inputs of the surface ${surface.name} end no process, block no event loop, leave nothing behind and cause no internal error`, (t) =>
    attackSurface(t, fuzzer, surface, 12));
