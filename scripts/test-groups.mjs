/**
 * Groups of test files that share a process. A test file needs most of its processor time to start its process: to load
 * the modules of the service and run them uncompiled. Sharing one saves a quarter.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Files per process by layer, in the order in which layers start. Browser tests mostly wait for pages, so they gain
 * little; unit tests end the run, where larger groups would leave cores idle.
 */
const SIZES = { browser: 3, service: 7, postgres: 4, unit: 14, long: 1 };

/** One test file may take minutes when all cores are busy, a long one more; none may hang the run. */
const FILE_TIMEOUT_MS = 240_000;
const LONG_FILE_TIMEOUT_MS = 600_000;

/**
 * Writes a test file for each group, whose suites are the files of the group, and returns their paths by layer.
 * @param {string} root
 * @param {ReadonlyMap<string, readonly string[]>} layers test files, relative to the root
 * @param {string} [folder] where the groups are written
 * @returns {Map<string, string[]>}
 */
export function writeGroups(root, layers, folder = join(root, 'node_modules', '.cache', 'test-groups')) {
  mkdirSync(folder, { recursive: true });
  // `node --test` starts files in the order of their names.
  const groups = Object.entries(SIZES).map(([layer, size], order) => {
    const files = layers.get(layer) ?? [];
    const count = Math.ceil(files.length / size);
    const paths = Array.from({ length: count }, (_, index) => {
      const path = join(folder, `${order}-${layer}-${String(index).padStart(2, '0')}.test.mjs`);
      // Files of one folder take similar time, so they are dealt out one by one.
      const dealt = files.filter((_file, place) => place % count === index);
      writeFileSync(path, writeGroup(root, dealt, layer === 'long' ? LONG_FILE_TIMEOUT_MS : FILE_TIMEOUT_MS));
      return path;
    });
    return /** @type {const} */ ([layer, paths]);
  });
  return new Map(groups);
}

/**
 * Loads a file after the previous one has ended, so that hooks and services of two files never overlap.
 * @param {string} root
 * @param {readonly string[]} files
 * @param {number} timeoutMs of each file
 */
function writeGroup(root, files, timeoutMs) {
  const suites = files.map((file) => {
    const url = JSON.stringify(pathToFileURL(join(root, file)).href);
    return `await suite(${JSON.stringify(file)}, { timeout: ${timeoutMs} }, () => import(${url}));\n`;
  });
  return `import { suite } from 'node:test';

// A file that ends the process must not hide later files.
let isWhole = false;
process.on('exit', () => {
  if (!isWhole) process.exitCode = 1;
});
${suites.join('')}isWhole = true;
`;
}
