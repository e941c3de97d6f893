/**
 * Which tests check which threat of `docs/threat-model.md` and which rule of `docs/interface-map.md`. A comment above a
 * test names them: `// Checks: threat-redirect, interface-2.1-url`.
 *
 * `node scripts/tested-rules.ts [RULE …]` prints the tests of these rules, or of all, as Markdown.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { findTests } from './test-layers.mjs';

const ROOT = path.join(import.meta.dirname, '..');

/** Where a page defines a rule: an entry of a list in the threat model, a row of the table in the interface map. */
const DEFINITIONS = [
  { page: 'docs/threat-model.md', pattern: /^- \*\*(?<text>[^*]+)\*\* \(`(?<id>threat-[a-z0-9-]+)`\)/gm },
  {
    page: 'docs/interface-map.md',
    pattern: /^\| `(?<id>interface-[a-z0-9.-]+)`[^|]*\|[^|]*\| (?<text>[^|]*[^| ]) *\|$/gm,
  },
];

const COMMENT = /^ *\/\/ Checks: (.+)$/;
const CALL = /\btest(?:\.\w+)?\(\s*(?:(['"`])(.+?)\1,)?/;

interface Rule {
  readonly id: string;
  readonly text: string;
}

export interface TaggedTest {
  /** Relative to the root. */
  readonly file: string;
  readonly line: number;
  readonly title: string;
  readonly rules: readonly string[];
}

/** Returns the threats and rules in the order of the pages. */
export function readRules(): Rule[] {
  return DEFINITIONS.flatMap(({ page, pattern }) =>
    [...readFileSync(path.join(ROOT, page), 'utf8').matchAll(pattern)].map(({ groups = {} }) => ({
      id: groups['id'] ?? '',
      text: groups['text'] ?? '',
    })),
  );
}

export function readTaggedTests(): TaggedTest[] {
  return [...findTests(ROOT).values()]
    .flat()
    .flatMap((file) => findTagged(file, readFileSync(path.join(ROOT, file), 'utf8')));
}

/**
 * Returns the tests with comments. A comment belongs to the next test of its file.
 * @throws when no test follows
 */
export function findTagged(file: string, text: string): TaggedTest[] {
  const lines = text.split('\n');
  const tests: TaggedTest[] = [];
  let rules: string[] = [];
  for (const [index, line] of lines.entries()) {
    const named = COMMENT.exec(line)?.[1];
    if (named !== undefined) rules.push(...named.split(', '));
    else if (rules.length > 0 && CALL.test(line)) {
      const title = CALL.exec(lines.slice(index, index + 3).join('\n'))?.[2] ?? '';
      tests.push({ file, line: index + 1, title: title.replaceAll("\\'", "'"), rules });
      rules = [];
    }
  }
  if (rules.length > 0) throw new Error(`${file}: no test follows "// Checks: ${rules.join(', ')}"`);
  return tests;
}

if (import.meta.main) {
  const wanted = process.argv.slice(2);
  const tests = readTaggedTests();
  const rules = readRules().filter(({ id }) => wanted.length === 0 || wanted.includes(id));
  for (const id of wanted.filter((one) => !rules.some((rule) => rule.id === one))) {
    process.stderr.write(`there is no rule ${id}\n`);
    process.exitCode = 2;
  }
  process.stdout.write('# Tests of threats and rules\n');
  for (const { id, text } of rules) {
    const named = tests
      .filter((test) => test.rules.includes(id))
      .map(({ file, title }) => `- \`\` ${title} \`\` in \`${file}\`\n`);
    process.stdout.write(`\n## ${id}\n\n${text}\n\n${named.join('')}`);
  }
}
