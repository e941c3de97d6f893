import { PAGE_SURFACES } from './page-surfaces.ts';
import { REQUEST_SURFACES } from './request-surfaces.ts';
import type { Surface } from './run-fuzz.ts';
import { SITE_SURFACES } from './site-surfaces.ts';

/** Every surface that the fuzzer attacks. */
export const SURFACES: readonly Surface[] = [...PAGE_SURFACES, ...SITE_SURFACES, ...REQUEST_SURFACES];
