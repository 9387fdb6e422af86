import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { SAMPLES_PATH, showSample } from './sample-mails.ts';

export const MAILBOX_PATH = '/mailbox';

/** Older mails are dropped. */
const MAX_MAILS = 500;

export type CaughtMail = {
  /** Counts up from 1. */
  id: number;
  receivedAt: Date;
  to: string;
  from: string;
  subject: string;
  text: string;
  html: string;
  /** The 6-digit code that the mail asks for. */
  code: string | undefined;
  attachments: string[];
};

/**
 * Catches all mails that a development server sends, and shows them on a page. Nothing leaves the machine.
 * The mails are lost when the process ends.
 */
export class Mailbox {
  /** For SMTP_URL. */
  readonly smtpUrl: string;
  readonly #smtp: SMTPServer;
  /** Newest first. */
  readonly #mails: CaughtMail[];

  private constructor(smtp: SMTPServer, mails: CaughtMail[]) {
    this.#smtp = smtp;
    this.#mails = mails;
    this.smtpUrl = `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`;
  }

  /** Listens on a free loopback port. */
  static async open(onMail: (mail: CaughtMail) => void = () => {}): Promise<Mailbox> {
    const mails: CaughtMail[] = [];
    let lastId = 0;
    const smtp = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      disableReverseLookup: true,
      closeTimeout: 1,
      onData: (stream, { envelope }, callback) => {
        readMail(stream).then((mail) => {
          lastId += 1;
          const to = envelope.rcptTo.map(({ address }) => address).join(', ');
          const caught = { ...mail, id: lastId, to };
          mails.unshift(caught);
          mails.splice(MAX_MAILS);
          onMail(caught);
          callback();
        }, callback);
      },
    });
    // The server closes connections whenever it restarts.
    smtp.on('error', () => {});
    await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
    return new Mailbox(smtp, mails);
  }

  /** A handler in front of the pages; calls `next` for addresses outside the mailbox. */
  handle = (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname === SAMPLES_PATH) void showSample(request, response);
    else if (pathname === `${MAILBOX_PATH}/latest`) {
      response.setHeader('cache-control', 'no-store');
      response.setHeader('content-type', 'application/json').end(String(this.#mails[0]?.id ?? 0));
    } else if (pathname === MAILBOX_PATH || pathname === `${MAILBOX_PATH}/`) {
      const wanted = Number(searchParams.get('mail'));
      const mail = this.#mails.find(({ id }) => id === wanted) ?? this.#mails[0];
      response.setHeader('cache-control', 'no-store');
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(mailboxPage(this.#mails, mail, { isText: searchParams.has('text') }));
    } else next();
  };

  close(): Promise<void> {
    return new Promise((resolve) => this.#smtp.close(resolve));
  }
}

async function readMail(stream: NodeJS.ReadableStream): Promise<Omit<CaughtMail, 'id' | 'to'>> {
  const mail: Email = await PostalMime.parse(await buffer(stream));
  const text = mail.text ?? '';
  return {
    receivedAt: new Date(),
    from: mail.from?.name || mail.from?.address || '',
    subject: mail.subject ?? '(no subject)',
    text,
    html: mail.html ?? '',
    code: /^\s*(\d{6})\s*$/m.exec(text)?.[1],
    attachments: mail.attachments.map(({ filename }) => filename ?? 'unnamed'),
  };
}

/** The list of mails with one of them open, as a whole document. */
function mailboxPage(
  mails: CaughtMail[],
  open: CaughtMail | undefined,
  { isText }: { isText: boolean },
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="dark light">
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<title>${mails.length > 0 ? `(${mails.length}) ` : ''}Mailbox – Sendwell development</title>
<style>${STYLE}</style>
</head>
<body>
<header>
  <h1>Mailbox</h1>
  <p>Mails your development server sends end up here. Nothing leaves this machine.</p>
  <a href="${SAMPLES_PATH}">Samples</a>
  <a href="/">Back to the app</a>
</header>
${open ? `<main>${listMails(mails, open)}${showMail(open, isText)}</main>` : EMPTY}
<script>${script(mails[0]?.id ?? 0)}</script>
</body>
</html>`;
}

function listMails(mails: CaughtMail[], open: CaughtMail): string {
  const items = mails.map(
    (mail) => `<li><a href="${MAILBOX_PATH}?mail=${mail.id}"${mail === open ? ' aria-current="true"' : ''}>
  <span class="row"><span class="to">${escapeHtml(mail.to)}</span><time>${formatTime(mail.receivedAt)}</time></span>
  <span class="subject">${escapeHtml(mail.subject)}</span>
  ${mail.code ? `<span class="code">${mail.code}</span>` : ''}
</a></li>`,
  );
  return `<nav aria-label="Mails, newest first"><ol>${items.join('')}</ol></nav>`;
}

function showMail(mail: CaughtMail, isText: boolean): string {
  const showsText = isText || mail.html === '';
  const tab = (name: string, query: string, isOpen: boolean) =>
    `<a href="${MAILBOX_PATH}?mail=${mail.id}${query}"${isOpen ? ' aria-current="true"' : ''}>${name}</a>`;
  return `<article>
  <div class="head">
    <h2>${escapeHtml(mail.subject)}</h2>
    <p>From ${escapeHtml(mail.from)} to ${escapeHtml(mail.to)}</p>
    ${mail.code ? `<p>Code: <strong class="code">${mail.code}</strong></p>` : ''}
    ${mail.attachments.length > 0 ? `<p>Attached: ${escapeHtml(mail.attachments.join(', '))}</p>` : ''}
    <div class="tabs">${tab('HTML', '', !showsText)}${tab('Text', '&amp;text', showsText)}</div>
  </div>
  ${showsText ? `<pre>${linkAddresses(escapeHtml(mail.text))}</pre>` : frame(mail)}
</article>`;
}

/** Scripts of the mail do not run; its links open in a new tab. */
function frame({ html, subject }: CaughtMail): string {
  const document = `<base target="_blank">${html}`;
  const allowed = 'allow-popups allow-popups-to-escape-sandbox';
  return `<iframe sandbox="${allowed}" title="${escapeHtml(subject)}" srcdoc="${escapeHtml(document)}"></iframe>`;
}

/** Opens a new mail when the newest one was open; otherwise only the list changes. */
function script(latest: number): string {
  return `setInterval(async () => {
  const latest = await fetch('${MAILBOX_PATH}/latest').then((response) => response.json(), () => ${latest});
  if (latest !== ${latest}) location.reload();
}, 1500);`;
}

function linkAddresses(escaped: string): string {
  return escaped.replace(
    /https?:\/\/[^\s<>]+/g,
    (address) => `<a href="${address}" target="_blank">${address}</a>`,
  );
}

function formatTime(time: Date): string {
  return time.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

const EMPTY = `<main class="empty"><div><h2>No mails yet</h2>
<p>Register, ask for a new password, or send a transfer by mail: codes and links appear here at once.</p></div></main>`;

const STYLE = `
:root { color-scheme: dark light; --line: light-dark(#d9e0db, #25302a); --quiet: light-dark(#55605a, #9aa8a0);
  --page: light-dark(#f6f8f6, #0a0f0c); --card: light-dark(#fff, #101713); --accent: light-dark(#0a7a45, #4ade80); }
* { box-sizing: border-box; }
body { margin: 0; height: 100vh; display: flex; flex-direction: column; background: var(--page);
  color: light-dark(#121a15, #e8efea); font: 15px/1.5 system-ui, sans-serif; }
header { display: flex; gap: 4px 16px; align-items: baseline; flex-wrap: wrap; padding: 12px 20px;
  border-bottom: 1px solid var(--line); }
header p { flex: 1; min-width: 0; color: var(--quiet); }
h1, h2, p { margin: 0; } h1 { font-size: 18px; } h2 { font-size: 18px; overflow-wrap: anywhere; }
a { color: var(--accent); }
main { flex: 1; min-height: 0; display: grid; grid-template-columns: 340px 1fr; }
nav { overflow-y: auto; border-right: 1px solid var(--line); }
ol { list-style: none; margin: 0; padding: 8px; }
nav a { display: block; padding: 10px 12px; border-radius: 10px; color: inherit; text-decoration: none; }
nav a:hover { background: var(--card); }
nav a[aria-current] { background: var(--card); outline: 1px solid var(--line); }
nav span { display: block; }
.row { display: flex !important; gap: 12px; justify-content: space-between; color: var(--quiet); font-size: 13px; }
.to { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.subject { overflow-wrap: anywhere; }
.code { font-family: ui-monospace, monospace; font-weight: 600; letter-spacing: 0.12em; color: var(--accent);
  user-select: all; }
article { display: flex; flex-direction: column; min-width: 0; min-height: 0; background: var(--card); }
.head { padding: 16px 20px 12px; border-bottom: 1px solid var(--line); }
.head p { color: var(--quiet); overflow-wrap: anywhere; }
.tabs { display: flex; gap: 8px; margin-top: 10px; }
.tabs a { padding: 4px 14px; border-radius: 999px; color: var(--quiet); text-decoration: none;
  border: 1px solid var(--line); }
.tabs a[aria-current] { color: var(--accent); border-color: var(--accent); }
iframe { flex: 1; width: 100%; border: 0; background: #fff; }
pre { flex: 1; margin: 0; padding: 20px; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere;
  font: 14px/1.6 ui-monospace, monospace; }
.empty { display: grid; grid-template-columns: 1fr; place-items: center; padding: 20px; text-align: center;
  color: var(--quiet); }
@media (max-width: 700px) {
  main { grid-template-columns: 1fr; grid-template-rows: minmax(120px, 32%) 1fr; }
  nav { border-right: 0; border-bottom: 1px solid var(--line); }
  header p { order: 1; flex-basis: 100%; } header h1 { flex: 1; }
}
`;
