import { extname } from 'node:path';
import type { Plugin } from 'vite';
import { buildEncryptedPage } from '../../web/build/encrypted-page.ts';

const TYPES: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
};

type Files = Map<string, string | Uint8Array>;

/** Serves the page that decrypts as it is built, and builds it again when a source has changed since. */
export function encryptedPageInDevelopment(): Plugin {
  let files: Promise<Files> | undefined;
  const build = async (): Promise<Files> => {
    const built = await buildEncryptedPage();
    return new Map(built.map(({ fileName, source }) => [`/${fileName}`, source]));
  };
  return {
    name: 'encrypted-page-in-development',
    configureServer: ({ middlewares, watcher }) => {
      watcher.on('all', () => {
        files = undefined;
      });
      middlewares.use(async (request, response, next) => {
        const [path = ''] = (request.url ?? '').split('?', 1);
        const isPage = path.startsWith('/e/');
        if (!isPage && !(files && path.startsWith('/assets/'))) return next();
        try {
          files ??= build();
          const found = (await files).has(path) ? path : '/encrypted.html';
          if (!isPage && found !== path) return next();
          response.setHeader(
            'content-type',
            `${TYPES[extname(found)] ?? 'application/octet-stream'}; charset=utf-8`,
          );
          response.setHeader('referrer-policy', 'no-referrer');
          response.setHeader('cache-control', 'no-store');
          response.end((await files).get(found));
        } catch (error) {
          files = undefined;
          next(error);
        }
      });
    },
  };
}
