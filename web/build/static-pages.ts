import { type Connect, type Plugin, runnerImport, type ViteDevServer } from 'vite';
import { STATIC_DOCUMENTS } from '../../contracts/values/addresses/pages.ts';
import { LANGUAGES } from '../../contracts/values/language/languages.ts';
import { messages } from './catalogues/messages.ts';

type Renderer = typeof import('../app/static-pages.tsx');

const ROOT = new URL('..', import.meta.url).pathname;
const SOURCE = `${ROOT}app/static-pages.tsx`;
/** What is rendered into each document: the page's path and the language. */
const DOCUMENTS = new Map(
  Object.keys(LANGUAGES).flatMap((language) =>
    Object.entries(STATIC_DOCUMENTS).map(([path, file]) => [
      ROOT + documentOf(file, language),
      { path, language },
    ]),
  ),
);

/** `landing.html` in English, `landing.de.html` in German. */
function documentOf(file: string, language: string): string {
  return language === 'en' ? file : file.replace('.html', `.${language}.html`);
}

/**
 * Renders the landing page and other static pages to HTML in every language (docs/decisions/0006): in a build as
 * in-memory entries beside index.html, in development in English at each request.
 */
export function staticPages(): Plugin {
  const findRenderer = createRenderers();
  return {
    name: 'static-pages',
    config: () => ({
      build: { rolldownOptions: { input: [`${ROOT}index.html`, ...DOCUMENTS.keys()] } },
    }),
    resolveId: (id) => (DOCUMENTS.has(id) ? id : undefined),
    async load(id) {
      const document = DOCUMENTS.get(id);
      if (document === undefined) return undefined;
      const { renderStaticPage } = await findRenderer(document.language);
      return renderStaticPage(document.path);
    },
    configureServer: (server) => void server.middlewares.use(serveDrawn(server)),
  };
}

/** Imports the pages once per language, one language after the other, because they read it from a global. */
function createRenderers(): (language: string) => Promise<Renderer> {
  const renderers = new Map<string, Promise<Renderer>>();
  let last: Promise<unknown> = Promise.resolve();
  const importPages = async (language: string) => {
    globalThis.prerenderedLanguage = language;
    const { module } = await runnerImport<Renderer>(SOURCE, {
      root: ROOT,
      configFile: false,
      plugins: [messages()],
    });
    return module;
  };
  return (language) => {
    const known = renderers.get(language);
    if (known) return known;
    const renderer = last.then(() => importPages(language));
    renderers.set(language, renderer);
    last = renderer.catch(() => undefined);
    return renderer;
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
