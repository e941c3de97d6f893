/** Copies the files of `repository-pages.mjs` into `docs/`. Links to files that the site does not have become text. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { REPOSITORY_PAGES, resolveInSite } from './repository-pages.mjs';

const ROOT = path.join(import.meta.dirname, '../..');

for (const [file, page] of Object.entries(REPOSITORY_PAGES)) {
  const text = readFileSync(path.join(ROOT, file), 'utf8');
  const linked = text.replaceAll(/\[([^\]\n]+)\]\((?![a-z]+:|#)([^)\s]+)\)/g, (_, name: string, link: string) => {
    const address = resolveInSite(link, file);
    return address === undefined ? name : `[${name}](${address})`;
  });
  writeFileSync(path.join(ROOT, 'docs', `${page}.md`), linked);
}
