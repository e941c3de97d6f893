/**
 * A reporter for the groups of `test-groups.mjs`: prints the slowest files, each failed file with the command that runs
 * it alone, and what the run left unchecked of the threats and rules that its tests name. A run fails if a test that
 * names one did not run although its file passed and skipped nothing.
 */
import { relative } from 'node:path';
import { readTaggedTests } from './tested-rules.ts';

const SLOWEST = 10;

/** @param {AsyncIterable<{ type: string, data: any }>} source */
// oxlint-disable-next-line import/no-default-export -- node --test takes the default export
export default async function* reportFiles(source) {
  /** @type {{ file: string, seconds: number }[]} */
  const times = [];
  /** @type {string[]} */
  const failed = [];
  /** @type {Set<string>} Tests that ran, by file and line. */
  const ran = new Set();
  /** @type {Set<string>} Files that skipped a test. */
  const skipping = new Set();
  for await (const { type, data } of source) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const file = relative('', data.file ?? '');
    if (data.skip !== undefined) skipping.add(file);
    else ran.add(`${file}:${data.line}`);
    if (data.nesting !== 0) continue;
    // The name of a suite is its file; of a group whose process ended early, the group's path.
    times.push({ file: data.name, seconds: data.details.duration_ms / 1000 });
    if (type === 'test:fail') failed.push(data.name);
  }
  const slowest = times.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  yield '\nslowest test files:\n';
  for (const { file, seconds } of slowest) yield `${seconds.toFixed(1).padStart(7)} s  ${file}\n`;
  const passed = new Set(times.map(({ file }) => file).filter((file) => !failed.includes(file)));
  yield* reportUnchecked(
    readTaggedTests().filter(({ file }) => passed.has(file)),
    ran,
    skipping,
  );
  if (failed.length === 0) return;
  yield '\nfailed test files, and how to run each alone:\n';
  for (const file of failed) yield `  node_modules/.bin/node --test ${file}\n`;
}

/**
 * @param {import('./tested-rules.ts').TaggedTest[]} tagged tests of the files that passed
 * @param {ReadonlySet<string>} ran
 * @param {ReadonlySet<string>} skipping
 */
function* reportUnchecked(tagged, ran, skipping) {
  const checked = new Set(tagged.filter(({ file, line }) => ran.has(`${file}:${line}`)).flatMap(({ rules }) => rules));
  const unchecked = new Set(tagged.flatMap(({ rules }) => rules).filter((rule) => !checked.has(rule)));
  if (unchecked.size > 0) yield `\nunchecked, because their tests were skipped: ${[...unchecked].join(', ')}\n`;
  const missing = tagged.filter(({ file, line }) => !ran.has(`${file}:${line}`) && !skipping.has(file));
  if (missing.length === 0) return;
  process.exitCode = 1;
  yield '\ntests that name a rule and did not run:\n';
  for (const { file, line, title } of missing) yield `  ${file}:${line} ${title}\n`;
}
