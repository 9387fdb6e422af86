import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Asks for the text font together with the stylesheet instead of after it, so that text does not jump. */
function preloadTextFont(): Plugin {
  return {
    name: 'preload-text-font',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const font = Object.keys(bundle ?? {}).find((name) => name.includes('-latin-standard-normal'));
        if (!font) return [];
        const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${font}`, crossorigin: '' };
        return [{ tag: 'link', attrs, injectTo: 'head' }];
      },
    },
  };
}

export default defineConfig({
  plugins: [react(), tailwindcss(), preloadTextFont()],
  resolve: {
    alias: {
      // Radix Dialog locks the page's scroll with a style tag, which our content security policy refuses.
      'react-remove-scroll': new URL('./components/scroll-lock.tsx', import.meta.url).pathname,
    },
  },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    // data: URLs would need exceptions in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:3000' } },
});
