import { errorMessage } from '../../../contracts/errors.ts';
import type { DownloadView } from '../../../contracts/transfers/downloads.ts';
import { nameForRecipients } from '../../../contracts/transfers/names.ts';
import type { TransferFile } from '../../../contracts/transfers/transfers.ts';
import {
  checksumsPath,
  fileDownloadPath,
  plainSharePath,
  unlockPath,
  zipDownloadPath,
} from '../../../contracts/values/links.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { type Html, html, NO_HTML } from '../../platform/http/html.ts';

/** Where the page's links lead. */
type PlainAddress = { token: string; recipientToken: string | undefined };

type Page = PlainAddress & {
  /** Why the password that was just sent did not unlock it. */
  problem: string | undefined;
  /** Of the page of files that is shown; undefined: the first. */
  cursor: string | undefined;
};

const INSTANT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

/** The download page for browsers without scripts: what the view says, and nothing it does not. */
export function renderPlainPage(view: DownloadView, page: Page): string {
  if (view.isChecking) return renderDocument('Checking files', renderChecking());
  if (view.isExpired) return renderCard('Transfer Expired', errorMessage('transfer_expired'));
  if (view.unlocked === false) return renderDocument('Password required', renderPasswordForm(page));
  const title = nameForRecipients(view);
  if (view.availableAt !== undefined) {
    return renderCard(title, `This transfer will be available from ${formatInstant(view.availableAt)}.`);
  }
  return renderDocument(title, renderTransfer(title, view, page));
}

export function renderBlocked(): string {
  return renderCard('Transfer blocked', errorMessage('transfer_blocked'));
}

export function renderTakenDown(): string {
  return renderCard('Transfer taken down', errorMessage('transfer_taken_down'));
}

export function renderNotFound(): string {
  return renderCard('Transfer not found', errorMessage('transfer_not_found'));
}

function renderTransfer(title: string, view: DownloadView, page: Page): Html {
  const { message, files = [] } = view;
  return html`
    <h1>${title}</h1>
    <p>${countFiles(view.fileCount ?? files.length)}, ${formatSize(view.totalSize ?? 0)}</p>
    ${message ? html`<h2>Message from sender</h2><blockquote>${message}</blockquote>` : NO_HTML}
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
  if (isDamaged) return html`<li>${relativePath}: ${errorMessage('file_damaged')}</li>`;
  if (isChecking) return html`<li>${relativePath}: being checked for malware</li>`;
  const path = fileDownloadPath(address.token, id, address.recipientToken);
  return html`<li><a href="${path}">${relativePath}</a> <small>${formatSize(size)}</small></li>`;
}

/** Nothing when all files are on this page. */
function renderShownCount({ files = [], fileCount = 0, nextFiles }: DownloadView, { cursor }: Page): Html {
  if (cursor === undefined && !nextFiles) return NO_HTML;
  return html`<p>This page shows ${formatCount(files.length)} of ${countFiles(fileCount)}.</p>`;
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
  return renderDocument(title, html`<h1>${title}</h1><p>${sentence}</p>`);
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

function countFiles(count: number): string {
  return count === 1 ? '1 file' : `${formatCount(count)} files`;
}

function formatCount(count: number): string {
  return count.toLocaleString('en');
}

function formatInstant(iso: string): string {
  return `${INSTANT.format(Date.parse(iso))} UTC`;
}

/** Where a form leads back to. */
export function plainPathWithProblem({ token, recipientToken }: PlainAddress, problem: string): string {
  return withQuery(plainSharePath(token, recipientToken), recipientToken, `problem=${problem}`);
}

/** `path` has a query already when it names the recipient. */
function withQuery(path: string, recipientToken: string | undefined, query: string): string {
  return `${path}${recipientToken === undefined ? '?' : '&'}${query}`;
}
