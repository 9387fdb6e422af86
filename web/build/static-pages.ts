import { type Connect, type Plugin, runnerImport, type ViteDevServer } from 'vite';
import { STATIC_DOCUMENTS } from '../../contracts/values/pages.ts';
import { messages } from './messages.ts';

type Renderer = typeof import('../app/static-pages.tsx');

const ROOT = new URL('..', import.meta.url).pathname;
const SOURCE = `${ROOT}app/static-pages.tsx`;
const PATHS = new Map(Object.entries(STATIC_DOCUMENTS).map(([path, file]) => [ROOT + file, path]));

/**
 * Renders the landing page and other static pages to HTML (docs/decisions/0006): in a build as in-memory entries
 * beside index.html, in development at each request.
 */
export function staticPages(): Plugin {
  return {
    name: 'static-pages',
    config: () => ({
      build: { rolldownOptions: { input: [`${ROOT}index.html`, ...PATHS.keys()] } },
    }),
    resolveId: (id) => (PATHS.has(id) ? id : undefined),
    async load(id) {
      const path = PATHS.get(id);
      if (path === undefined) return undefined;
      const { module } = await runnerImport<Renderer>(SOURCE, {
        root: ROOT,
        configFile: false,
        plugins: [messages()],
      });
      return module.renderStaticPage(path);
    },
    configureServer: (server) => void server.middlewares.use(serveDrawn(server)),
  };
}

function serveDrawn(server: ViteDevServer): Connect.NextHandleFunction {
  return async (request, response, next) => {
    const path = request.url?.split('?', 1)[0] ?? '';
    if (!(path in STATIC_DOCUMENTS)) return next();
    try {
      const { renderStaticPage } = (await server.ssrLoadModule(SOURCE)) as Renderer;
      const html = await server.transformIndexHtml(path, renderStaticPage(path));
      response.setHeader('content-type', 'text/html; charset=utf-8').end(html);
    } catch (error) {
      next(error);
    }
  };
}
