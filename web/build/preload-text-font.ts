import type { Plugin } from 'vite';

/**
 * Preloads the text font of static pages, after what they need to be drawn. In the app it would delay the scripts,
 * which come first: text appears in a fallback of the same widths meanwhile.
 */
export function preloadTextFont(): Plugin {
  return {
    name: 'preload-text-font',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle, path }) {
        const font = Object.keys(bundle ?? {}).find((name) => name.includes('-latin-standard-normal'));
        if (!font || path === '/index.html') return [];
        const href = `/${font}`;
        const attrs = {
          rel: 'preload',
          as: 'font',
          type: 'font/woff2',
          href,
          crossorigin: '',
          fetchpriority: 'low',
        };
        return [{ tag: 'link', attrs, injectTo: 'head' }];
      },
    },
  };
}
