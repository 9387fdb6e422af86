import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { API_REFERENCE_PATH, getOpenApiDocument } from '../../../contracts/system.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/routing/route.ts';
import { describeApi } from './document.ts';

type StoredAnswer = { type: string; etag: string; bytes: Buffer; brotli: Buffer };

const compress = promisify(brotliCompress);
/** Compresses to a sixth of the size in 0.2 s. The best quality would take half a minute to save one percent more. */
const QUALITY = 5;

/** Allows scripts from this server only, inline styles added by scripts, and no requests to other hosts. */
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

/** Both responses are built once, at the first request. */
export function apiDocsRoutes(app: FastifyInstance, { config }: Pick<Context, 'config'>): void {
  let document: Promise<StoredAnswer> | undefined;
  route(app, getOpenApiDocument, async ({ request, reply }) => {
    document ??= storeDocument(config.publicUrl);
    sendStored(request, reply, await document);
  });
  referencePageRoutes(app);
}

async function storeDocument(publicUrl: string): Promise<StoredAnswer> {
  return storeAnswer(JSON.stringify(await describeApi(publicUrl)), 'application/json');
}

function referencePageRoutes(app: FastifyInstance): void {
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

function describeFont(): string {
  const [file] = globSync('assets/instrument-sans-latin-standard-normal*.woff2', { cwd: WEB_ROOT });
  if (file === undefined) return '';
  const face = 'font-family: "Instrument Sans Variable"; font-weight: 400 700; font-stretch: 75% 100%';
  return `@font-face { ${face}; font-display: swap; src: url("/${file}") format("woff2"); }\n`;
}

/**
 * The library's browser script, 4 MB. Only the plugin can provide it; its own page is not used because the content
 * security policy blocks its inline script.
 */
async function readLibrary(): Promise<string> {
  const { default: apiReference } = await import('@scalar/fastify-api-reference');
  const library = Fastify();
  await library.register(apiReference, { routePrefix: '/library', configuration: { url: '/' } });
  const { payload } = await library.inject('/library/js/scalar.js');
  await library.close();
  return payload;
}

async function storeAnswer(text: string, type: string): Promise<StoredAnswer> {
  const bytes = Buffer.from(text);
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  const brotli = await compress(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } });
  return { type: `${type}; charset=utf-8`, etag, bytes, brotli };
}

function sendStored(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { type, etag, bytes, brotli }: StoredAnswer,
): void {
  reply.headers({ etag, 'cache-control': 'no-cache', vary: 'accept-encoding' });
  if (
    headers['if-none-match']
      ?.replaceAll('W/', '')
      .split(/\s*,\s*/)
      .includes(etag)
  ) {
    reply.code(304).send();
    return;
  }
  const takesBrotli = /\bbr\b/.test(headers['accept-encoding'] ?? '');
  if (takesBrotli) reply.header('content-encoding', 'br');
  reply.type(type).send(takesBrotli ? brotli : bytes);
}
