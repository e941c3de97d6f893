/**
 * Checks the folders of the source: none holds more than 40 source files, ARCHITECTURE.md lists exactly the folders
 * directly in a package's `src`, no file lies in a folder for folders only, and no two folders import each other. Prints
 * each fault with its place and remedy; the exit code is 1 when there is one.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const MOST_FILES = 40;
const SOURCE = /\.(?:tsx?|mjs|py)$/;
/** Files that may break the import direction. */
const TEST = /\.test\.tsx?$|\.test-helper\.ts$|\/testing\//;
const IMPORT = /\b(?:from |import |import\()'(\.[^'\n]+)'/g;

/** Packages whose rooms ARCHITECTURE.md lists, with the files that may lie directly in `src`. */
const LISTED = {
  'packages/server/src': [],
  'packages/extract/src': ['index.ts', 'matching.ts', 'parsing.ts', 'templates.ts'],
};

/** Folders that hold folders only. */
const FOLDERS_ONLY = ['packages/server/src', 'packages/server/src/domain', 'packages/contract/src'];
const ALLOWED_IN_THEM = ['packages/contract/src/index.ts'];

/**
 * @param {ReadonlyMap<string, string>} files path from the root → text
 * @param {string} architecture text of ARCHITECTURE.md
 * @returns {string[]} one sentence per fault: which, where, and what to do
 */
export function findRoomFaults(files, architecture) {
  const sources = [...files.keys()].filter((file) => SOURCE.test(file));
  return [
    ...findFullFolders(sources),
    ...findStrayFiles(sources),
    ...Object.keys(LISTED).flatMap((src) => compareRooms(src, sources, architecture)),
    ...findTies(files),
  ];
}

/** @param {readonly string[]} sources */
function findFullFolders(sources) {
  const folders = Map.groupBy(sources, posix.dirname);
  return [...folders]
    .filter(([, held]) => held.length > MOST_FILES)
    .map(
      ([folder, held]) =>
        `${folder} holds ${held.length} source files, at most ${MOST_FILES} are allowed: ` +
        'group files that belong together in a folder inside it',
    );
}

/** @param {readonly string[]} sources */
function findStrayFiles(sources) {
  return sources
    .filter((file) => FOLDERS_ONLY.includes(posix.dirname(file)) && !ALLOWED_IN_THEM.includes(file))
    .map(
      (file) => `${file} lies outside every room: move it to the folder in ${posix.dirname(file)} that it belongs to`,
    );
}

/**
 * @param {string} src
 * @param {readonly string[]} sources
 * @param {string} architecture
 */
function compareRooms(src, sources, architecture) {
  const table = architecture.split(`Inside \`${src}\`:`)[1]?.split(/\n\n(?!\|)/)[0] ?? '';
  const rows = new Set([...table.matchAll(/^\| (`[^|]*)\|/gm)].flatMap(([, cell]) => namesIn(cell ?? '')));
  const inside = sources.filter((file) => file.startsWith(`${src}/`)).map((file) => file.slice(src.length + 1));
  const rooms = new Set(inside.filter((file) => file.includes('/')).map((file) => file.split('/')[0] ?? ''));
  /** @type {readonly string[]} */
  const allowed = Object.entries(LISTED).find(([path]) => path === src)?.[1] ?? [];
  return [
    ...[...rooms]
      .filter((room) => !rows.has(`${room}/`))
      .map((room) => `${src}/${room} has no row in ARCHITECTURE.md: add one, or move its files to a room with a row`),
    ...[...rows]
      .filter((row) => !inside.some((file) => (row.endsWith('/') ? file.startsWith(row) : file === row)))
      .map((row) => `ARCHITECTURE.md names ${src}/${row}, where no file lies: correct or remove the row`),
    ...inside
      .filter((file) => !file.includes('/') && !allowed.includes(file) && !FOLDERS_ONLY.includes(src))
      .map((file) => `${src}/${file} lies outside every room: move it to the folder in ${src} that it belongs to`),
  ];
}

/** @param {string} cell */
function namesIn(cell) {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '');
}

/** @param {ReadonlyMap<string, string>} files */
function findTies(files) {
  /** @type {Map<string, string>} `from to` → the first import between the two folders */
  const imports = new Map();
  for (const [file, text] of files) {
    if (!/^packages\/[^/]+\/src\//.test(file) || TEST.test(file) || !/\.tsx?$/.test(file)) continue;
    const from = posix.dirname(file);
    for (const [, specifier] of text.matchAll(IMPORT)) {
      const target = posix.join(from, specifier ?? '');
      const to = posix.dirname(target);
      if (to !== from && !imports.has(`${from} ${to}`)) imports.set(`${from} ${to}`, `${file} imports ${target}`);
    }
  }
  return [...imports].flatMap(([pair, there]) => {
    const [from = '', to = ''] = pair.split(' ');
    const back = imports.get(`${to} ${from}`);
    if (back === undefined || from > to) return [];
    return [
      `${from} and ${to} import each other (${there}; ${back}): move what both need to one of them or to a third`,
    ];
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const paths = tracked.split('\0').filter((path) => SOURCE.test(path));
  const files = new Map(paths.flatMap((path) => readIfThere(root, path)));
  const faults = findRoomFaults(files, readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'));
  for (const fault of faults) process.stdout.write(`${fault}\n`);
  if (faults.length > 0) process.exit(1);
}

/**
 * @param {string} root
 * @param {string} path
 * @returns {[string, string][]} none for a file that was deleted and not yet committed
 */
function readIfThere(root, path) {
  try {
    return [[path, readFileSync(join(root, path), 'utf8')]];
  } catch {
    return [];
  }
}
