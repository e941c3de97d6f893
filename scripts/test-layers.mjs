/**
 * The layers of the tests. The name of a test file says its layer: `fair-queue.test.ts` is a unit test,
 * `extract.service.test.ts` a test that starts a service. Each file belongs to exactly one layer.
 */
import { globSync } from 'node:fs';

/** @typedef {{ readonly name: string, readonly needs: string }} Layer */

/** The layer of files without one in their names. */
const PLAIN = 'unit';

/** @type {readonly Layer[]} */
export const LAYERS = [
  { name: PLAIN, needs: 'neither a browser nor a service nor PostgreSQL; seconds' },
  { name: 'browser', needs: 'Chromium, started by the test' },
  { name: 'service', needs: 'a whole program: the service, a command, a build, a linter' },
  { name: 'postgres', needs: 'a PostgreSQL server, started by the test' },
  {
    name: 'long',
    needs:
      'minutes, an accident, or what is rarely at fault: kills, floods, damaged files, full disks, soak, nginx, torture, package builds, linters; not part of `npm test`',
  },
];

const TESTS = ['packages/*/{src,test}/**/*.test.ts', '{test,bench,training}/**/*.test.ts'];

const NAME = /^[a-z0-9-]+(?:\.([a-z]+))?\.test\.ts$/;

/**
 * Returns the test files by layer, sorted.
 * @param {string} root
 * @returns {Map<string, string[]>}
 * @throws {Error} naming each test file that belongs to no layer
 */
export function findTests(root) {
  const files = globSync(TESTS, { cwd: root, exclude: (name) => name === 'node_modules' }).toSorted();
  return sortByLayer(files);
}

/**
 * @param {readonly string[]} files
 * @returns {Map<string, string[]>}
 * @throws {Error} naming each test file that belongs to no layer
 */
export function sortByLayer(files) {
  /** @type {Map<string, string[]>} */
  const sorted = new Map(LAYERS.map(({ name }) => [name, []]));
  const strays = files.filter((file) => {
    const layer = layerOf(file);
    const held = layer === undefined ? undefined : sorted.get(layer);
    held?.push(file);
    return held === undefined;
  });
  if (strays.length === 0) return sorted;
  const suffixes = LAYERS.filter(({ name }) => name !== PLAIN).map(({ name }) => `.${name}.test.ts`);
  throw new Error(
    `${strays.join(', ')}: the name of a test ends in .test.ts (${PLAIN}) or one of ${suffixes.join(', ')}, ` +
      'after a name of small letters, digits and hyphens',
  );
}

/**
 * @param {string} file
 * @returns {string | undefined} the layer, possibly unknown; undefined when it is not the name of a test
 */
function layerOf(file) {
  const match = NAME.exec(file.slice(file.lastIndexOf('/') + 1));
  return match === null ? undefined : (match[1] ?? PLAIN);
}
