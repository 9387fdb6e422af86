import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ERRORS, errorMessage } from '../../../../contracts/errors.ts';
import type { DownloadView } from '../../../../contracts/transfers/downloads.ts';
import { FilesQuery } from '../../../../contracts/transfers/file-queries.ts';
import { nameTransfer } from '../../../../contracts/transfers/names.ts';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import { Id } from '../../../../contracts/values/fields.ts';
import { countOf, formatCount } from '../../../../contracts/values/format.ts';
import {
  checksumsPath,
  encryptedSharePath,
  fileDownloadPath,
  plainSharePath,
  unlockPath,
  zipDownloadPath,
} from '../../../../contracts/values/links.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import type { Context } from '../../../context.ts';
import { type Html, html, NO_HTML } from '../../../platform/http/pages/html.ts';
import { isAppError } from '../../../platform/lib/app-error.ts';
import { getDownloadView, type ViewParts } from './download-view.ts';

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const PROBLEMS = {
  invalid_input: 'Please enter the password',
  wrong_password: `${errorMessage('wrong_password')}. Please check your password and try again.`,
  too_many_requests: 'Too many attempts. Please wait a few minutes and try again.',
} as const satisfies Partial<Record<keyof typeof ERRORS, string>>;

const Query = FilesQuery.extend({
  cursor: FilesQuery.shape.cursor.catch(undefined),
  r: Id.optional().catch(undefined),
  problem: z
    .enum(Object.keys(PROBLEMS) as (keyof typeof PROBLEMS)[])
    .optional()
    .catch(undefined),
});

/** Serves HTML, so it has no contract; it passes the same gate as the API's view. */
export function plainPageRoutes(app: FastifyInstance, context: Context, viewParts: ViewParts): void {
  app.get(`${plainSharePath(':token')}`, async (request, reply) => {
    const { token } = request.params as { token: string };
    const { r: recipientToken, problem, cursor } = Query.parse(request.query);
    reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
    });
    try {
      const view = await getDownloadView(context, viewParts, { token, recipientToken, cursor, request });
      if (view.isChecking) reply.header('refresh', '10');
      const sentence = problem && PROBLEMS[problem];
      return reply
        .code(view.isExpired ? ERRORS.transfer_expired.status : 200)
        .send(renderPlainPage(view, { token, recipientToken, problem: sentence, cursor }));
    } catch (error) {
      if (isAppError(error, 'transfer_taken_down')) return reply.code(error.status).send(renderTakenDown());
      if (isAppError(error, 'transfer_blocked')) return reply.code(error.status).send(renderBlocked());
      if (!isAppError(error, 'transfer_not_found')) throw error;
      return reply.code(error.status).send(renderNotFound());
    }
  });
}

type PlainAddress = { token: string; recipientToken: string | undefined };

export function plainPathWithProblem({ token, recipientToken }: PlainAddress, problem: string): string {
  return withQuery(plainSharePath(token, recipientToken), recipientToken, `problem=${problem}`);
}

function withQuery(path: string, recipientToken: string | undefined, query: string): string {
  return `${path}${recipientToken === undefined ? '?' : '&'}${query}`;
}

type Page = PlainAddress & {
  problem: string | undefined;
  cursor: string | undefined;
};

const INSTANT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

function renderPlainPage(view: DownloadView, page: Page): string {
  if (view.isChecking) return renderDocument('Checking files', renderChecking());
  if (view.isExpired) return renderCard('Transfer Expired', errorMessage('transfer_expired'));
  if (view.encryption) return renderDocument('Encrypted transfer', renderEncrypted(page));
  if (view.unlocked === false) return renderDocument('Password required', renderPasswordForm(page));
  const title = nameTransfer(view);
  if (view.availableAt !== undefined) {
    return renderCard(title, `This transfer will be available from ${formatInstant(view.availableAt)}.`);
  }
  return renderDocument(title, renderTransfer(title, view, page));
}

/** Decrypting needs a script or the command for users. */
function renderEncrypted({ token, recipientToken }: Page): Html {
  return html`
    <h1>Encrypted transfer</h1>
    <p>This transfer is end-to-end encrypted, so only its recipients can open it. <a href="${encryptedSharePath(token, recipientToken)}">Open it in a browser with JavaScript</a>, using the whole link that you received, or save it with the command <code>sendwell receive</code> and the same link.</p>`;
}

function renderBlocked(): string {
  return renderCard('Transfer blocked', errorMessage('transfer_blocked'));
}

function renderTakenDown(): string {
  return renderCard('Transfer taken down', errorMessage('transfer_taken_down'));
}

function renderNotFound(): string {
  return renderCard('Transfer not found', errorMessage('transfer_not_found'));
}

function renderTransfer(title: string, view: DownloadView, page: Page): Html {
  const { message, senderName, files = [] } = view;
  const count = countOf(view.fileCount ?? files.length, 'file');
  return html`
    <h1 dir="auto">${title}</h1>
    <p>${senderName ? html`<bdi>${senderName}</bdi> sent you ` : NO_HTML}${count}, ${formatSize(view.totalSize ?? 0)}</p>
    ${message ? html`<h2>Message from sender</h2><blockquote dir="auto">${message}</blockquote>` : NO_HTML}
    ${renderFacts(view)}
    <h2>Files</h2>
    ${renderShownCount(view, page)}
    <ul>${files.map((file) => renderFile(file, page))}</ul>
    ${renderPageLinks(view, page)}
    ${renderWhole(view, page)}`;
}

function renderChecking(): Html {
  return html`
    <h1>Checking files</h1>
    <p>This transfer is being checked for malware. <a href="">Reload this page</a> in a moment.</p>`;
}

function renderFacts({ expiresAt, maxDownloads, downloadCount = 0 }: DownloadView): Html {
  const isUsedUp = typeof maxDownloads === 'number' && downloadCount >= maxDownloads;
  return html`
    ${expiresAt ? html`<p>Expires ${formatInstant(expiresAt)}</p>` : NO_HTML}
    ${typeof maxDownloads === 'number' ? html`<p>Download Limit: ${downloadCount} / ${maxDownloads}</p>` : NO_HTML}
    ${isUsedUp ? html`<p role="alert">${errorMessage('transfer_used_up')}</p>` : NO_HTML}`;
}

function renderFile(
  { id, relativePath, size, isDamaged, isChecking }: TransferFile,
  address: PlainAddress,
): Html {
  if (isDamaged) return html`<li><bdi>${relativePath}</bdi>: ${errorMessage('file_damaged')}</li>`;
  if (isChecking) return html`<li><bdi>${relativePath}</bdi>: being checked for malware</li>`;
  const path = fileDownloadPath(address.token, id, address.recipientToken);
  return html`<li><a href="${path}"><bdi>${relativePath}</bdi></a> <small>${formatSize(size)}</small></li>`;
}

function renderShownCount({ files = [], fileCount = 0, nextFiles }: DownloadView, { cursor }: Page): Html {
  if (cursor === undefined && !nextFiles) return NO_HTML;
  return html`<p>This page shows ${formatCount(files.length)} of ${countOf(fileCount, 'file')}.</p>`;
}

function renderPageLinks({ nextFiles }: DownloadView, { token, recipientToken, cursor }: Page): Html {
  if (cursor === undefined && !nextFiles) return NO_HTML;
  const first = plainSharePath(token, recipientToken);
  const next = withQuery(first, recipientToken, `cursor=${nextFiles}`);
  return html`<nav aria-label="Pages of files"><p>
    ${cursor === undefined ? NO_HTML : html`<a href="${first}">First files</a>`}
    ${cursor !== undefined && nextFiles ? ' · ' : ''}
    ${nextFiles ? html`<a rel="next" href="${next}">Next files</a>` : NO_HTML}
  </p></nav>`;
}

function renderWhole(
  { hasDamagedFiles, zipSize, files = [] }: DownloadView,
  { token, recipientToken }: PlainAddress,
): Html {
  const canZip = zipSize !== undefined && !hasDamagedFiles && !files.some(({ isChecking }) => isChecking);
  return html`
    ${canZip ? html`<p><a href="${zipDownloadPath(token, recipientToken)}">Download All Files</a> <small>zip, ${formatSize(zipSize)}</small></p>` : NO_HTML}
    <p><a href="${checksumsPath(token)}">Checksums (SHA256SUMS)</a></p>`;
}

function renderPasswordForm({ token, recipientToken, problem }: Page): Html {
  return html`
    <h1>Password required</h1>
    <p>This transfer is protected by a password.</p>
    <form method="post" action="${unlockPath(token, recipientToken)}">
      <label for="password">Password</label>
      <input id="password" name="password" type="password" required autocomplete="off"${problem === undefined ? NO_HTML : html` aria-invalid="true" aria-describedby="problem"`}>
      ${problem === undefined ? NO_HTML : html`<p id="problem" role="alert">${problem}</p>`}
      <button>Unlock</button>
    </form>`;
}

function renderCard(title: string, sentence: string): string {
  return renderDocument(title, html`<h1 dir="auto">${title}</h1><p>${sentence}</p>`);
}

function renderDocument(title: string, content: Html): string {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="dark light">
    <meta name="robots" content="noindex">
    <link rel="icon" href="/favicon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/plain.css">
    <title>${title} · Sendwell</title>
  </head>
  <body>
    <main>${content}</main>
    <footer><p>Sent with <a href="/">Sendwell</a></p></footer>
  </body>
</html>
`.markup;
}

function formatInstant(iso: string): string {
  return `${INSTANT.format(Date.parse(iso))} UTC`;
}
