import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { messages } from './build/catalogues/messages.ts';
import { groupChunks, refuseCircularChunks, refuseTopLevelAwait } from './build/chunks.ts';
import { splitContracts } from './build/contracts/split-contracts.ts';
import { stripMetadata } from './build/contracts/strip-metadata.ts';
import { encryptedPage } from './build/encrypted-page.ts';
import { headScript } from './build/head-script.ts';
import { icons } from './build/icons.ts';
import { inlineErrors } from './build/inline-errors.ts';
import { leanIcons } from './build/lean-icons.ts';
import { pageBudgets } from './build/page-budgets.ts';
import { preloadTextFont } from './build/preload-text-font.ts';
import { serviceWorker } from './build/service-worker.ts';
import { staticPages } from './build/static-pages.ts';

// A schema that nothing on a page reads is left out of it; making one changes nothing else.
const treeshake = { manualPureFunctions: ['z', 'textUpTo', 'lineUpTo', 'requiredText'] };

export default defineConfig({
  plugins: [
    messages(),
    react(),
    tailwindcss(),
    stripMetadata(),
    splitContracts(),
    inlineErrors(),
    staticPages(),
    encryptedPage(),
    serviceWorker(),
    preloadTextFont(),
    icons(),
    leanIcons(),
    groupChunks(),
    refuseCircularChunks(),
    refuseTopLevelAwait(),
    headScript(),
    pageBudgets(),
  ],
  resolve: {
    alias: {
      // wouter needs it for React before 18.
      'use-sync-external-store/shim/index.js': 'react',
      // Radix Dialog locks the page's scroll with a style tag, which our content security policy refuses.
      'react-remove-scroll': new URL('./components/dialogs/scroll-lock.tsx', import.meta.url).pathname,
    },
  },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    // data: URLs would need exceptions in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // Pages need not name what the document has loaded.
      resolveDependencies: (_file, files, { hostType }) =>
        hostType === 'html'
          ? files
          : files.filter((file) => !/^assets\/(?:index|messages|start|app|plain)-/.test(file)),
    },
    rolldownOptions: { treeshake },
  },
  worker: { format: 'es', plugins: () => [splitContracts()], rolldownOptions: { treeshake } },
});
