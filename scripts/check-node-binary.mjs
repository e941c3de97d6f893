import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** SHA-256 of the program `node`, by version and platform. */
const HASHES = JSON.parse(readFileSync(new URL('node-binaries.json', import.meta.url), 'utf8'));

/**
 * Compares a Node program with its known SHA-256: the package `node` downloads it in an install script, which the hashes
 * of the lock file do not cover.
 *
 * @param {{ program: string, version: string, platform: string }} node the file, and what it should be
 * @returns {'sound' | 'unknown' | 'foreign'} `unknown`: no hash is known for the version and platform
 */
export function checkNodeBinary({ program, version, platform }) {
  const expected = HASHES[version]?.[platform];
  if (expected === undefined) return 'unknown';
  return createHash('sha256').update(readFileSync(program)).digest('hex') === expected ? 'sound' : 'foreign';
}
