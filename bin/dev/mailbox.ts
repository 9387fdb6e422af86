import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { mailboxPage } from './mailbox-page.ts';

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
    if (pathname === `${MAILBOX_PATH}/latest`) {
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
