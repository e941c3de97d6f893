import type { Scopes } from './scopes.ts';

/** An element marks blocks less than this many levels below it. */
const REACH = 12;

/** Returns whether a block is in an element with a bit, for instance one of a family of names. */
export function markBelow({ count, parent, leaf }: Scopes, bits: Int32Array, bit: number): (block: number) => boolean {
  const reach = new Uint8Array(count);
  for (let scope = 0; scope < count; scope++) {
    const above = parent[scope];
    reach[scope] = ((bits[scope] >> bit) & 1) === 1 ? REACH : above < 0 ? 0 : Math.max(0, reach[above] - 1);
  }
  return (block) => reach[leaf[block]] > 0;
}
