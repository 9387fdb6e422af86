import { existsSync, globSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  encryptedSharePath,
  plainSharePath,
  sharePath,
} from '../../../../contracts/values/addresses/links.ts';
import {
  isGuestPage,
  isPage,
  isPaymentPage,
  SHARE_FAILED_PAGE,
  SHARE_TARGET_PATH,
  STATIC_DOCUMENTS,
} from '../../../../contracts/values/addresses/pages.ts';
import { Id } from '../../../../contracts/values/fields.ts';
import { AppError } from '../../lib/app-error.ts';
import { sendRefusal } from '../error-handler.ts';
import { permissionsPolicy } from '../security/security-headers.ts';
import { isAutomated, isPrefetch } from './automated-requests.ts';
import { findCopies } from './earlier-assets.ts';
import { serveEncryptedPage } from './encrypted-page.ts';
import { type Html, html, NO_HTML } from './html.ts';
import { listWantedLanguages } from './wanted-languages.ts';

const WEB_ROOT = join(import.meta.dirname, '../../../../dist/web');
export const ASSETS = join(WEB_ROOT, 'assets');
const YEAR_SECONDS = 31_536_000;

const POLICY = {
  'default-src': "'self'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data: blob:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'worker-src': "'self'",
  'object-src': "'none'",
  'base-uri': "'none'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
};
const WITH_ADS = { ...POLICY, 'img-src': `${POLICY['img-src']} https:`, 'media-src': "'self' https:" };
const STRIPE_ORIGIN = 'https://js.stripe.com';
/** The script, frames (card, 3-D Secure) and API of Stripe's payment form. */
const WITH_STRIPE = {
  ...WITH_ADS,
  'script-src': "'self' https://js.stripe.com https://*.js.stripe.com",
  'frame-src': "'self' https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com",
  'connect-src': "'self' https://api.stripe.com",
};

type Served = {
  dataDir: string;
  hasStripe: boolean;
  bucket?: string | undefined;
  /** By default the address the page was opened at. */
  publicUrl?: string | undefined;
  /** For the head of pages that guests open. `token`: of the transfer, if the page shows one. Must not throw. */
  renderGuestTags: (token: string | undefined, request: FastifyRequest) => Promise<Html>;
  /** Whether the page that decrypts shows this transfer. Must not throw. */
  isEncrypted: (token: string) => Promise<boolean>;
};

/**
 * Hashed assets are cached for a year, and those of earlier versions are served for a week. Static documents are served
 * as they are; any other path outside /api gets the app, with 404 if it isn't one of its pages. Only payment pages allow
 * Stripe's script.
 */
export async function serveWebApp(app: FastifyInstance, served: Served): Promise<void> {
  const { dataDir, hasStripe, bucket, publicUrl, renderGuestTags, isEncrypted } = served;
  const policies = writePolicies(bucket);
  if (!existsSync(join(WEB_ROOT, 'index.html'))) {
    app.log.warn('the pages are not built; run "npm run build"');
    app.setNotFoundHandler((request, reply) => sendRefusal(request, reply, new AppError('not_found')));
    return;
  }
  const options = { index: false, preCompressed: true, cacheControl: false } as const;
  // A route for each asset would slow every start by 100 ms.
  await app.register(fastifyStatic, {
    ...options,
    root: [ASSETS, await openCopies(dataDir)].flat(),
    prefix: '/assets/',
    decorateReply: false,
    setHeaders: (reply) => {
      reply.header('content-security-policy', policies.page);
      reply.header('cache-control', `public, max-age=${YEAR_SECONDS}, immutable`);
    },
  });
  await app.register(fastifyStatic, {
    ...options,
    root: WEB_ROOT,
    wildcard: false,
    // The not-found handler sends the documents with their own policy.
    globIgnore: ['assets/**', '*.html*'],
    setHeaders: (reply, path) => {
      if (!/\.html(\.\w+)?$/.test(path)) reply.header('content-security-policy', policies.page);
      reply.header('cache-control', 'no-cache');
    },
  });
  serveEncryptedPage(app, { root: WEB_ROOT, bucket });
  // Only if the browser has lost the service worker. Answered before the files are read.
  const refuseShare = async (_request: FastifyRequest, reply: FastifyReply) =>
    reply.redirect(SHARE_FAILED_PAGE, 303);
  app.post(SHARE_TARGET_PATH, { onRequest: refuseShare }, refuseShare);
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?', 1)[0]!;
    const wantsPage = (request.method === 'GET' || request.method === 'HEAD') && !path.startsWith('/api/');
    // A key that a mail gateway moved into the path (`%23`) has a dot, too.
    const [named = ''] = path.split(/%(?:25)*23/, 1);
    if (!wantsPage || /\.\w+$/.test(named)) throw new AppError('not_found');
    const kind = policyFor(path, hasStripe);
    reply.code(isPage(path) ? 200 : 404).header('content-security-policy', policies[kind]);
    if (kind === 'stripe')
      reply.header('permissions-policy', permissionsPolicy({ payment: [STRIPE_ORIGIN] }));
    const document = findDocument(path);
    const shareToken = findShareToken(path);
    // Preview bots stay, because only this page carries the transfer's card.
    if (shareToken && (isPrefetch(request) || !isAutomated(request)) && (await isEncrypted(shareToken)))
      return reply.redirect(encryptedSharePath(shareToken) + request.url.slice(path.length), 302);
    const isGuest = isGuestPage(path);
    if (document !== undefined) {
      reply.header('vary', 'Accept-Language, Cookie');
      return reply.sendFile(translate(document, request));
    }
    if (!isGuest && publicUrl === undefined) return reply.sendFile('index.html');
    const guestTags = isGuest ? await renderGuestTags(shareToken, request) : NO_HTML;
    const application = await readApplication({
      guestTags,
      plainTwin: findPlainTwin(request.url),
      publicUrl,
    });
    return reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(application);
  });
}

/** Empty if there can be no copies. */
async function openCopies(dataDir: string): Promise<string[]> {
  const copies = findCopies(dataDir);
  return mkdir(copies, { recursive: true }).then(
    () => [copies],
    () => [],
  );
}

const DOCUMENTS = new Set(globSync('*.html', { cwd: WEB_ROOT }));

type Additions = {
  guestTags: Html;
  plainTwin: string | undefined;
  publicUrl: string | undefined;
};

async function readApplication({ guestTags, plainTwin, publicUrl }: Additions): Promise<string> {
  const document = await readFile(join(WEB_ROOT, 'index.html'), 'utf8');
  const meta = publicUrl === undefined ? '' : html`<meta name="public-url" content="${publicUrl}">`.markup;
  const hint =
    plainTwin === undefined
      ? ''
      : html`<noscript><meta http-equiv="refresh" content="0; url=${plainTwin}"></noscript>`.markup;
  return document.replace('</head>', () => `${guestTags.markup}${meta}${hint}</head>`);
}

/** The app navigates between its pages without loading a new document, so they share a policy. */
function policyFor(path: string, hasStripe: boolean): 'stripe' | 'page' | 'app' {
  if (hasStripe && isPaymentPage(path)) return 'stripe';
  return findDocument(path) !== undefined || isGuestPage(path) ? 'page' : 'app';
}

function writePolicies(bucket: string | undefined) {
  const write = (directives: typeof POLICY) => {
    const connect = [directives['connect-src'], ...(bucket === undefined ? [] : [bucket])].join(' ');
    return writePolicy({ ...directives, 'connect-src': connect });
  };
  return { page: write(POLICY), app: write(WITH_ADS), stripe: write(WITH_STRIPE) };
}

/** `landing.de.html` for readers of German, if the pages were built in that language. */
function translate(document: string, { headers }: FastifyRequest): string {
  for (const language of listWantedLanguages(headers)) {
    if (language === 'en') break;
    const translated = document.replace('.html', `.${language}.html`);
    if (DOCUMENTS.has(translated)) return translated;
  }
  return document;
}

function findDocument(path: string): string | undefined {
  return STATIC_DOCUMENTS[path.length > 1 ? path.replace(/\/$/, '') : path];
}

function writePolicy(directives: Record<string, string>): string {
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ');
}

const SHARE_PATH = new RegExp(`^${sharePath('([0-9a-z]{26})')}/?$`);

function findShareToken(path: string): string | undefined {
  return SHARE_PATH.exec(path)?.[1];
}

export function findPlainTwin(url: string): string | undefined {
  const [path = '', search] = url.split('?', 2);
  const token = findShareToken(path);
  if (token === undefined) return undefined;
  const recipientToken = Id.safeParse(new URLSearchParams(search).get('r')).data;
  return plainSharePath(token, recipientToken);
}
