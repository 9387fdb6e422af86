import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { preloadTextFont } from './build/preload-text-font.ts';
import { staticPages } from './build/static-pages.ts';
import { stripMetadata } from './build/strip-metadata.ts';

export default defineConfig({
  plugins: [react(), tailwindcss(), stripMetadata(), staticPages(), preloadTextFont()],
  resolve: {
    alias: {
      // Radix Dialog locks the page's scroll with a style tag, which our content security policy refuses.
      'react-remove-scroll': new URL('./components/layout/scroll-lock.tsx', import.meta.url).pathname,
    },
  },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    // data: URLs would need exceptions in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
