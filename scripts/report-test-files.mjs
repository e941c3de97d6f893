/**
 * A reporter for the groups of `test-groups.mjs`: prints the slowest files, and each failed file with the command that
 * runs it alone.
 */
const SLOWEST = 10;

/** @param {AsyncIterable<{ type: string, data: any }>} source */
// oxlint-disable-next-line import/no-default-export -- node --test takes the default export
export default async function* reportFiles(source) {
  /** @type {{ file: string, seconds: number }[]} */
  const times = [];
  /** @type {string[]} */
  const failed = [];
  for await (const { type, data } of source) {
    if (data.nesting !== 0 || (type !== 'test:pass' && type !== 'test:fail')) continue;
    // The name of a suite is its file; of a group whose process ended early, the group's path.
    times.push({ file: data.name, seconds: data.details.duration_ms / 1000 });
    if (type === 'test:fail') failed.push(data.name);
  }
  const slowest = times.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  yield '\nslowest test files:\n';
  for (const { file, seconds } of slowest) yield `${seconds.toFixed(1).padStart(7)} s  ${file}\n`;
  if (failed.length === 0) return;
  yield '\nfailed test files, and how to run each alone:\n';
  for (const file of failed) yield `  node_modules/.bin/node --test ${file}\n`;
}
