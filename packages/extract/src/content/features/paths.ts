import type { Scopes } from '../blocks/scopes.ts';

const HEIGHT = 4;

/** Blocks by position: the same part of each card, the same column of each row. */
export interface Paths {
  readonly count: number;
  readonly of: Int32Array;
}

/** Numbers the paths of blocks; blocks share one if their scopes have the same signatures. */
export function findPaths(scopes: Scopes, blocks: number): Paths {
  const of = new Int32Array(blocks);
  const byHash = new Map<number, number>();
  for (let b = 0; b < blocks; b++) {
    let hash = 0;
    let scope = scopes.leaf[b];
    for (let up = 0; up < HEIGHT && scope >= 0; up++) {
      hash = (Math.imul(hash, 1000003) + scopes.signature[scope]) | 0;
      scope = scopes.parent[scope];
    }
    let path = byHash.get(hash);
    if (path === undefined) byHash.set(hash, (path = byHash.size));
    of[b] = path;
  }
  return { count: byHash.size, of };
}
