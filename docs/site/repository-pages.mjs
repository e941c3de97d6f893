/** Files of the repository outside `docs/` that the site shows, and the names of their pages there. */
export const REPOSITORY_PAGES = {
  'packages/client/README.md': 'typescript-client',
  'clients/python/README.md': 'python-client',
  'packages/extract/README.md': 'library',
  'CONTRIBUTING.md': 'contributing',
  'ARCHITECTURE.md': 'architecture',
  'CHANGELOG.md': 'changelog',
  'SECURITY.md': 'security',
};

/**
 * The address in the site of a link, or undefined if the site does not have the file.
 * @param {string} link relative
 * @param {string} file with the link, as a path in the repository
 * @returns {string | undefined}
 */
export function resolveInSite(link, file) {
  const { pathname, hash } = new URL(link, `http://repository/${file}`);
  const target = pathname.slice(1);
  if (target.startsWith('docs/')) return `/${target.slice('docs/'.length)}${hash}`;
  const page = Object.entries(REPOSITORY_PAGES).find(([source]) => source === target)?.[1];
  return page === undefined ? undefined : `/${page}.md${hash}`;
}
