import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ERRORS, type ErrorCode, errorMessage } from '../../../../contracts/errors.ts';
import type { DownloadView } from '../../../../contracts/transfers/downloads/downloads.ts';
import { FilesQuery } from '../../../../contracts/transfers/file-queries.ts';
import type { TransferFile } from '../../../../contracts/transfers/transfers.ts';
import {
  checksumsPath,
  encryptedSharePath,
  fileDownloadPath,
  plainSharePath,
  unlockPath,
  zipDownloadPath,
} from '../../../../contracts/values/addresses/links.ts';
import { Id } from '../../../../contracts/values/fields.ts';
import type { Context } from '../../../context.ts';
import { type Html, html, NO_HTML } from '../../../platform/http/pages/html.ts';
import { requestLanguage } from '../../../platform/http/pages/wanted-languages.ts';
import { isAppError } from '../../../platform/lib/app-error.ts';
import { msg, type Wording, wordingIn } from '../../../platform/mail/wording.ts';
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
  invalid_input: msg('Please enter the password'),
  wrong_password: msg('Invalid password. Please check your password and try again.'),
  too_many_requests: msg('Too many attempts. Please wait a few minutes and try again.'),
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
    const words = wordingIn(requestLanguage(request));
    reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'cache-control': 'no-store',
      'content-language': words.language,
      vary: 'accept-language, cookie',
    });
    try {
      const view = await getDownloadView(context, viewParts, { token, recipientToken, cursor, request });
      if (view.isChecking) reply.header('refresh', '10');
      return reply.code(view.isExpired ? ERRORS.transfer_expired.status : 200).send(
        renderPlainPage(view, {
          token,
          recipientToken,
          problem: problem && PROBLEMS[problem],
          cursor,
          words,
        }),
      );
    } catch (error) {
      if (isAppError(error, 'transfer_taken_down'))
        return reply.code(error.status).send(renderTakenDown(words));
      if (isAppError(error, 'transfer_blocked')) return reply.code(error.status).send(renderBlocked(words));
      if (!isAppError(error, 'transfer_not_found')) throw error;
      return reply.code(error.status).send(renderNotFound(words));
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
  words: Wording;
};

function renderPlainPage(view: DownloadView, page: Page): string {
  const { words } = page;
  const { t } = words;
  if (view.isChecking) return renderDocument(t('Checking files'), renderChecking(words), words);
  if (view.isExpired) return renderRefusal(t('Transfer Expired'), 'transfer_expired', words);
  if (view.encryption) return renderDocument(t('Encrypted transfer'), renderEncrypted(page), words);
  if (view.unlocked === false) return renderDocument(t('Password required'), renderPasswordForm(page), words);
  const title = words.nameTransfer(view);
  if (view.availableAt !== undefined) {
    const instant = words.formatInstant(Date.parse(view.availableAt));
    return renderCard(title, t('This transfer will be available from {instant}.', { instant }), words);
  }
  return renderDocument(title, renderTransfer(title, view, page), words);
}

/** Decrypting needs a script or the command for users. */
function renderEncrypted({ token, recipientToken, words: { t } }: Page): Html {
  const use = t('Use the whole link that you received. The command {command} saves the files, too.', {
    command: SLOT,
  });
  return html`
    <h1>${t('Encrypted transfer')}</h1>
    <p>${t('This transfer is end-to-end encrypted, so only its recipients can open it.')}</p>
    <p><a href="${encryptedSharePath(token, recipientToken)}">${t('Open it in a browser with JavaScript')}</a></p>
    <p>${fillSlot(use, html`<code>sendwell receive</code>`)}</p>`;
}

function renderBlocked(words: Wording): string {
  return renderRefusal(words.t('Transfer blocked'), 'transfer_blocked', words);
}

function renderTakenDown(words: Wording): string {
  return renderRefusal(words.t('Transfer taken down'), 'transfer_taken_down', words);
}

function renderNotFound(words: Wording): string {
  return renderRefusal(words.t('Transfer not found'), 'transfer_not_found', words);
}

function renderTransfer(title: string, view: DownloadView, page: Page): Html {
  const { message, files = [] } = view;
  const { t } = page.words;
  return html`
    <h1 dir="auto">${title}</h1>
    <p>${renderContent(view, page.words)}</p>
    ${message ? html`<h2>${t('Message from sender')}</h2><blockquote dir="auto">${message}</blockquote>` : NO_HTML}
    ${renderFacts(view, page.words)}
    <h2>${t('Files')}</h2>
    ${renderShownCount(view, page)}
    <ul>${files.map((file) => renderFile(file, page))}</ul>
    ${renderPageLinks(view, page)}
    ${renderWhole(view, page)}`;
}

function renderContent(view: DownloadView, { t, formatSize }: Wording): Html {
  const { senderName, files = [], fileCount = files.length, totalSize = 0 } = view;
  const size = formatSize(totalSize);
  if (!senderName)
    return html`${t('{fileCount, plural, one {# file} other {# files}}, {size}', { fileCount, size })}`;
  const sentence = t('{sender} sent you {fileCount, plural, one {# file} other {# files}}, {size}', {
    sender: SLOT,
    fileCount,
    size,
  });
  return fillSlot(sentence, html`<bdi>${senderName}</bdi>`);
}

function renderChecking({ t }: Wording): Html {
  return html`
    <h1>${t('Checking files')}</h1>
    <p>${t('This transfer is being checked for malware.')} <a href="">${t('Reload this page')}</a></p>`;
}

function renderFacts({ expiresAt, maxDownloads, downloadCount = 0 }: DownloadView, words: Wording): Html {
  const { t, formatCount } = words;
  const isLimited = typeof maxDownloads === 'number';
  const isUsedUp = isLimited && downloadCount >= maxDownloads;
  return html`
    ${expiresAt ? html`<p>${t('Expires {instant}', { instant: words.formatInstant(Date.parse(expiresAt)) })}</p>` : NO_HTML}
    ${isLimited ? html`<p>${t('Download Limit')}: ${formatCount(downloadCount)} / ${formatCount(maxDownloads)}</p>` : NO_HTML}
    ${isUsedUp ? html`<p role="alert">${describe('transfer_used_up', words)}</p>` : NO_HTML}`;
}

function renderFile(
  { id, relativePath, size, isDamaged, isChecking }: TransferFile,
  { token, recipientToken, words }: Page,
): Html {
  if (isDamaged) return html`<li><bdi>${relativePath}</bdi>: ${describe('file_damaged', words)}</li>`;
  if (isChecking) return html`<li><bdi>${relativePath}</bdi>: ${words.t('being checked for malware')}</li>`;
  const path = fileDownloadPath(token, id, recipientToken);
  return html`<li><a href="${path}"><bdi>${relativePath}</bdi></a> <small>${words.formatSize(size)}</small></li>`;
}

function renderShownCount(
  { files = [], fileCount = 0, nextFiles }: DownloadView,
  { cursor, words: { t } }: Page,
): Html {
  if (cursor === undefined && !nextFiles) return NO_HTML;
  const shown = files.length;
  return html`<p>${t('This page shows {shown} of {fileCount, plural, one {# file} other {# files}}.', { shown, fileCount })}</p>`;
}

function renderPageLinks(
  { nextFiles }: DownloadView,
  { token, recipientToken, cursor, words: { t } }: Page,
): Html {
  if (cursor === undefined && !nextFiles) return NO_HTML;
  const first = plainSharePath(token, recipientToken);
  const next = withQuery(first, recipientToken, `cursor=${nextFiles}`);
  return html`<nav aria-label="${t('Pages of files')}"><p>
    ${cursor === undefined ? NO_HTML : html`<a href="${first}">${t('First files')}</a>`}
    ${cursor !== undefined && nextFiles ? ' · ' : ''}
    ${nextFiles ? html`<a rel="next" href="${next}">${t('Next files')}</a>` : NO_HTML}
  </p></nav>`;
}

function renderWhole(
  { hasDamagedFiles, zipSize, files = [] }: DownloadView,
  { token, recipientToken, words: { t, formatSize } }: Page,
): Html {
  const canZip = zipSize !== undefined && !hasDamagedFiles && !files.some(({ isChecking }) => isChecking);
  return html`
    ${canZip ? html`<p><a href="${zipDownloadPath(token, recipientToken)}">${t('Download All Files')}</a> <small>zip, ${formatSize(zipSize)}</small></p>` : NO_HTML}
    <p><a href="${checksumsPath(token)}">${t('Checksums')} (SHA256SUMS)</a></p>`;
}

function renderPasswordForm({ token, recipientToken, problem, words: { t } }: Page): Html {
  return html`
    <h1>${t('Password required')}</h1>
    <p>${t('This transfer is protected by a password.')}</p>
    <form method="post" action="${unlockPath(token, recipientToken)}">
      <label for="password">${t('Password')}</label>
      <input id="password" name="password" type="password" required autocomplete="off"${problem === undefined ? NO_HTML : html` aria-invalid="true" aria-describedby="problem"`}>
      ${problem === undefined ? NO_HTML : html`<p id="problem" role="alert">${t(problem)}</p>`}
      <button>${t('Unlock')}</button>
    </form>`;
}

function renderRefusal(title: string, code: ErrorCode, words: Wording): string {
  return renderCard(title, describe(code, words), words);
}

function renderCard(title: string, sentence: string, words: Wording): string {
  return renderDocument(title, html`<h1 dir="auto">${title}</h1><p>${sentence}</p>`, words);
}

function renderDocument(title: string, content: Html, { t, language }: Wording): string {
  return html`<!doctype html>
<html lang="${language}">
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
    <footer><p>${fillSlot(t('Sent with {product}', { product: SLOT }), html`<a href="/">Sendwell</a>`)}</p></footer>
  </body>
</html>
`.markup;
}

/** Stands for an element in a text while it is translated. */
const SLOT = '\0';

function fillSlot(text: string, element: Html): Html {
  const [before = '', after = ''] = text.split(SLOT);
  return html`${before}${element}${after}`;
}

function describe(code: ErrorCode, { t }: Wording): string {
  const sentence = errorMessage(code);
  return t(sentence);
}
