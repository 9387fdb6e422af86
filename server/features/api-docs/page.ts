import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Fastify, { type FastifyInstance } from 'fastify';
import { API_REFERENCE_PATH } from '../../../contracts/api-docs.ts';
import { type StoredAnswer, sendStored, storeAnswer } from './stored-answer.ts';

/**
 * For this page alone: scripts are ours (among them the reference, which is served from here), styles may be
 * written by them, and nothing may be asked of anybody else.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const WEB_ROOT = join(import.meta.dirname, '../../../dist/web');

type Part = { path: string; type: string; read: () => string | Promise<string> };

const PARTS: Part[] = [
  { path: '', type: 'text/html', read: () => readPart('reference.html') },
  { path: '/reference.css', type: 'text/css', read: () => describeFont() + readPart('reference.css') },
  { path: '/reference.js', type: 'text/javascript', read: () => readPart('reference.js') },
  { path: '/scalar.js', type: 'text/javascript', read: readLibrary },
];

/** The page for people, with all it needs. */
export function referencePageRoutes(app: FastifyInstance): void {
  for (const { path, type, read } of PARTS) {
    let answer: Promise<StoredAnswer> | undefined;
    app.get(API_REFERENCE_PATH + path, async (request, reply) => {
      answer ??= Promise.resolve(read()).then((text) => storeAnswer(text, type));
      reply.header('content-security-policy', POLICY);
      sendStored(request, reply, await answer);
      return reply;
    });
  }
  app.get(`${API_REFERENCE_PATH}/`, (_request, reply) => reply.redirect(API_REFERENCE_PATH, 308));
}

function readPart(name: string): string {
  return readFileSync(join(import.meta.dirname, 'page', name), 'utf8');
}

/** The product's own type, if its pages are built. */
function describeFont(): string {
  const [file] = globSync('assets/instrument-sans-latin-standard-normal*.woff2', { cwd: WEB_ROOT });
  if (file === undefined) return '';
  const face = 'font-family: "Instrument Sans Variable"; font-weight: 400 700; font-stretch: 75% 100%';
  return `@font-face { ${face}; font-display: swap; src: url("/${file}") format("woff2"); }\n`;
}

/**
 * The library's script for browsers. It is had only by asking its plugin, whose own page has a script in it that
 * our policy refuses; four megabytes that stay in memory only once somebody has looked at the page.
 */
async function readLibrary(): Promise<string> {
  const { default: apiReference } = await import('@scalar/fastify-api-reference');
  const library = Fastify();
  await library.register(apiReference, { routePrefix: '/library', configuration: { url: '/' } });
  const { payload } = await library.inject('/library/js/scalar.js');
  await library.close();
  return payload;
}
