import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { ENCRYPTED_PAGE_PREFIX, ID_PATTERN } from '../../../../contracts/values/addresses/links.ts';
import { AppError } from '../../lib/app-error.ts';

const DOCUMENT = 'encrypted.html';
const TOKEN_LENGTH = 26;

/**
 * Serves the page that decrypts for every path below `/e/`. The document is the same for all of them, and nothing is
 * looked up or logged, because mail gateways that rewrite `#` as `%23` put the key into the path. Needs `sendFile` of
 * @fastify/static. `bucket`: an origin that direct downloads come from.
 */
export function serveEncryptedPage(
  app: FastifyInstance,
  { root, bucket }: { root: string; bucket: string | undefined },
): void {
  const path = join(root, DOCUMENT);
  if (!existsSync(path)) return;
  const policy = writePolicy(readFileSync(path, 'utf8'), bucket);
  app.get(`${ENCRYPTED_PAGE_PREFIX}*`, async (request, reply) => {
    const { '*': rest } = request.params as { '*': string };
    // Downloads that the page's service worker would have answered.
    if (rest.startsWith('save/')) throw new AppError('not_found');
    return reply
      .code(ID_PATTERN.test(rest.slice(0, TOKEN_LENGTH)) ? 200 : 404)
      .headers({ 'content-security-policy': policy, 'referrer-policy': 'no-referrer' })
      .sendFile(DOCUMENT);
  });
}

/**
 * Only the scripts of the built document run, named by their hashes: inline ones, and others by their `integrity`. Worker
 * scripts are part of them and start from a `blob:` address.
 */
function writePolicy(document: string, bucket: string | undefined): string {
  const scripts = hashesOf(document, 'script').join(' ') || "'none'";
  return [
    "default-src 'none'",
    `script-src ${scripts}`,
    `style-src ${["'self'", ...hashesOf(document, 'style')].join(' ')}`,
    "font-src 'self'",
    `connect-src ${["'self'", ...(bucket === undefined ? [] : [bucket])].join(' ')}`,
    "img-src 'self' blob:",
    "worker-src 'self' blob:",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** As sources of a policy: `'sha256-…'`. */
function hashesOf(document: string, element: 'script' | 'style'): string[] {
  const found = document.matchAll(new RegExp(`<${element}\\b([^>]*)>(.*?)</${element}>`, 'gs'));
  return [...found].map(([, attributes = '', content = '']) => {
    const [, integrity] = /\bintegrity="([\w+/=-]+)"/.exec(attributes) ?? [];
    return `'${integrity ?? `sha256-${createHash('sha256').update(content).digest('base64')}`}'`;
  });
}
