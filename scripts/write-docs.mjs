/**
 * Writes the reference tables of `docs/` and the types of the Python client from the tables in the code. Tests fail when
 * they are outdated.
 * Run with the repository's Node: `node_modules/.bin/node scripts/write-docs.mjs`.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generatePythonTypes } from '../clients/python/generate-types.ts';
import { describeErrors } from '../packages/contract/src/index.ts';
import { describeConfig } from './describe-settings.ts';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

const PAGES = {
  'configuration.md': `# Configuration

Everything is configured by environment variables, read once at start. An unknown name that starts with \`WINNOW_\` and an
invalid value are refused; one message lists all of them with the reason. Empty values count as unset.
Times have a unit (\`500ms\`, \`20s\`, \`5m\`, \`2h\`, \`7d\`); sizes may (\`1048576\`, \`512KiB\`, \`10MiB\`, \`2GB\`). Secrets may be read from a file: \`…_FILE\` names it.
To begin, set none: every setting has a default or is off.

${describeConfig()}
`,
  'errors.md': `# Errors

Every error is JSON in the same format:

\`\`\`json
{
  "request_id": "req_01J9ZC8X6M4Q7W2E5R8T1Y3U6I",
  "error": {
    "code": "http_status_not_ok",
    "message": "the target answered with status 404",
    "stage": "fetch",
    "retryable": false,
    "upstream_status_code": 404
  },
  "metadata": { "dom_id": "dom_01J9ZC8X9A4Q7W2E5R8T1Y3U6I" },
  "trace": []
}
\`\`\`

\`retryable\` says whether the same request can succeed later: \`false\` is a permanent refusal, \`true\` a temporary fault.
\`retry_after_ms\` is the time to wait before the next attempt, if it is known: from the quota, the load of the service, or the
\`Retry-After\` header of the target. \`upstream_status_code\` is the status of the target if it is not 2xx, also for a block page.
Messages are for people, and their wording may change.

\`metadata.dom_id\` is present if a snapshot was stored before the failure. Error pages and block pages are stored too: extract the
snapshot, or inspect it. \`trace\` is present if \`trace.include_steps\` is on; with a standalone key this is the default, also if the body
cannot be parsed. \`raw_dom\` is present if \`trace.include_raw_dom\` is on. A request refused before its body is read, because of its key
or quota, has neither.

${describeErrors()}
`,
};

writeFileSync(join(ROOT, 'clients', 'python', 'winnow', 'types.py'), generatePythonTypes());
for (const [name, text] of Object.entries(PAGES)) writeFileSync(join(ROOT, 'docs', name), text);
spawnSync(
  join(ROOT, 'node_modules', '.bin', 'oxfmt'),
  Object.keys(PAGES).map((name) => join('docs', name)),
  {
    cwd: ROOT,
    stdio: 'inherit',
  },
);
