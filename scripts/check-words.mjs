/**
 * Refuses words of `word-list.json` in source, tests and documentation: each entry names the word to use instead.
 * Identifiers are read as words too, so that `hostTurns` is found by "host turns". Prints a line for each finding and
 * exits with 1 when there is one. `node scripts/check-words.mjs [FILE …]` reads only these files.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const READ = /\.(?:tsx?|mjs|py|md|ya?ml|sh|css|html)$/;

/** @typedef {{ word: string, use: string, in?: string[] }} Word `in`: starts of the paths where the word is refused */
/** @type {{ words: Word[], allow: { text: string, why: string }[], skip: string[] }} */
const list = JSON.parse(readFileSync(join(ROOT, 'scripts', 'word-list.json'), 'utf8'));
const words = list.words.map(({ word, ...rest }) => ({ ...rest, pattern: new RegExp(`\\b(?:${word})\\b`, 'i') }));

const named = process.argv.slice(2);
const files = named.length > 0 ? named : trackedFiles();
const findings = files.flatMap(findWords);
for (const finding of findings) process.stdout.write(`${finding}\n`);
process.exitCode = findings.length === 0 ? 0 : 1;

/** @returns {string[]} */
function trackedFiles() {
  const text = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  return text
    .split('\0')
    .filter(
      (file) => READ.test(file) && !list.skip.some((start) => file.startsWith(start)) && existsSync(join(ROOT, file)),
    );
}

/**
 * @param {string} file
 * @returns {string[]} One line for each finding: where, the word, the word to use
 */
function findWords(file) {
  const refused = words.filter(({ in: starts }) => starts?.some((start) => file.startsWith(start)) ?? true);
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
  return lines.flatMap((line, index) => {
    const text = splitNames(withoutAllowed(line));
    const found = refused.flatMap(({ pattern, use }) => {
      const [word] = pattern.exec(text) ?? [];
      return word === undefined ? [] : [{ word, use }];
    });
    return found.map(({ word, use }) => `${file}:${index + 1}: "${word}" is not a word of this project; write: ${use}`);
  });
}

/** @param {string} line */
function withoutAllowed(line) {
  return list.allow.reduce((text, { text: allowed }) => text.replaceAll(allowed, ''), line);
}

/**
 * The line, then the line with its identifiers as separate words.
 * @param {string} line
 */
function splitNames(line) {
  return `${line} ${line.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[a-z])[-_](?=[a-z])/g, ' ')}`;
}
