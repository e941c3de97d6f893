/**
 * Fails if a workflow uses an action without the SHA of its commit, or if a container file names an image without its
 * digest: tags can be moved. A release runs it first.
 *
 *     node scripts/check-pins.mjs           # lists what is not pinned
 *     node scripts/check-pins.mjs --write   # pins it to what the tags mean now; needs the network, git and docker
 *
 * A folder may follow; without one it checks this repository.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const WORKFLOWS = '.github/workflows';
const CONTAINER_FILES = ['Dockerfile', 'compose.yaml', 'deploy/compose.yaml'];

/** `uses: owner/name@reference`; actions of this repository begin with `./`. */
const ACTION = /^(\s*(?:- )?uses: )([\w-]+\/[\w./-]+)@([\w.-]+)( .*)?$/;
const IMAGE = /^(\s*(?:FROM|image:|container:) )([\w./-]+:[\w.-]+)(@[\w:]+)?( .*)?$/;

const SHA = /^[0-9a-f]{40}$/;
const DIGEST = /^@sha256:[0-9a-f]{64}$/;

const [folder = dirname(dirname(fileURLToPath(import.meta.url)))] = process.argv
  .slice(2)
  .filter((one) => one !== '--write');
const isWriting = process.argv.includes('--write');
const resolved = new Map();
const unpinned = [];

for (const file of listFiles()) {
  const lines = readFileSync(join(folder, file), 'utf8').split('\n');
  const pinned = lines.map((line, index) => pinLine(line, `${file}:${index + 1}`));
  if (isWriting) writeFileSync(join(folder, file), pinned.join('\n'));
}
if (unpinned.length > 0) {
  process.stderr.write(`not pinned (node scripts/check-pins.mjs --write pins them):\n${unpinned.join('\n')}\n`);
  process.exitCode = 1;
}

function listFiles() {
  const workflows = readdirSync(join(folder, WORKFLOWS)).map((name) => `${WORKFLOWS}/${name}`);
  return [...workflows, ...CONTAINER_FILES].filter((file) => existsSync(join(folder, file)));
}

/** Returns the line with its pin, if this run writes; else notes what is missing. */
function pinLine(line, place) {
  const [, use, action = '', reference = ''] = ACTION.exec(line) ?? [];
  if (use !== undefined && !SHA.test(reference)) {
    if (isWriting)
      return `${use}${action}@${once(`${action}@${reference}`, () => findCommit(action, reference))} # ${reference}`;
    unpinned.push(`${place}: ${action}@${reference}`);
  }
  const [, from, image = '', digest = '', rest = ''] = IMAGE.exec(line) ?? [];
  if (from !== undefined && !DIGEST.test(digest)) {
    if (isWriting) return `${from}${image}@${once(image, () => findDigest(image))}${rest}`;
    unpinned.push(`${place}: ${image}`);
  }
  return line;
}

function once(name, find) {
  if (!resolved.has(name)) resolved.set(name, find());
  return resolved.get(name);
}

/** An annotated tag is listed twice; the line that ends with `^{}` has the commit. */
function findCommit(action, tag) {
  const repository = action.split('/').slice(0, 2).join('/');
  const tags = [`refs/tags/${tag}`, `refs/tags/${tag}^{}`];
  const listed = execFileSync('git', ['ls-remote', `https://github.com/${repository}`, ...tags], { encoding: 'utf8' });
  const rows = listed
    .trim()
    .split('\n')
    .map((row) => row.split('\t'));
  const [sha = ''] = rows.find(([, name]) => name === tags[1]) ?? rows.find(([, name]) => name === tags[0]) ?? [];
  if (!SHA.test(sha)) throw new Error(`${action} has no tag ${tag}`);
  return sha;
}

/** The digest of the index of all platforms. */
function findDigest(image) {
  const options = ['buildx', 'imagetools', 'inspect', image, '--format', '{{.Manifest.Digest}}'];
  const digest = execFileSync('docker', options, { encoding: 'utf8' }).trim();
  if (!DIGEST.test(`@${digest}`)) throw new Error(`${image}: no digest in "${digest}"`);
  return digest;
}
