import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';

export default defineConfig({
  // Relative: the service may have a base path, which it writes into the page.
  base: './',
  plugins: [react()],
  resolve: { conditions: ['winnow-source', ...defaultClientConditions] },
  build: {
    target: 'es2023',
    // The service's policy allows no inline content, data: scripts included.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
