/**
 * Builds the package for use outside the repository: `dist/` is a package of its own, with the sources as JavaScript and
 * their types. Inside the repository the sources run as they are.
 */
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compilePackage } from '../../../scripts/compile-package.ts';

const FOLDER = join(import.meta.dirname, '..');
const DIST = join(FOLDER, 'dist');

interface Manifest {
  readonly exports: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

rmSync(DIST, { recursive: true, force: true });
compilePackage(FOLDER);
const {
  private: _,
  devDependencies: __,
  scripts: ___,
  ...manifest
} = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8')) as Manifest;
writeFileSync(
  join(DIST, 'package.json'),
  `${JSON.stringify({ ...manifest, exports: built(manifest.exports) }, null, 2)}\n`,
);
copyFileSync(join(FOLDER, 'README.md'), join(DIST, 'README.md'));
copyFileSync(join(FOLDER, '../../LICENSE'), join(DIST, 'LICENSE'));

/** Where the build put what the manifest exports. */
function built(exports: Manifest['exports']): Record<string, { types: string; default: string }> {
  const files = Object.entries(exports).map(([name, source]) => {
    const file = source.replace('./src/', './').replace(/\.ts$/, '');
    return [name, { types: `${file}.d.ts`, default: `${file}.js` }] as const;
  });
  return Object.fromEntries(files);
}
