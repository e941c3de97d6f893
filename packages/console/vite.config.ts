import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';
import type { Plugin } from 'vite';

const COMPRESSED = /\.(?:js|css|html|svg)$/;

/** Compresses the files at build time, so that the service does not compress them for each request. */
function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    writeBundle(options, bundle) {
      for (const name of Object.keys(bundle)) {
        if (options.dir === undefined || !COMPRESSED.test(name)) continue;
        const file = join(options.dir, name);
        const content = readFileSync(file);
        const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
        writeFileSync(`${file}.br`, brotliCompressSync(content, { params: quality }));
        writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  // Relative: the service may have a base path, which it writes into the page.
  base: './',
  plugins: [react(), precompress()],
  resolve: { conditions: ['winnow-source', ...defaultClientConditions] },
  build: {
    target: 'es2023',
    // The service's policy allows no inline content, data: scripts included.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
