import { createTransport } from 'nodemailer';
import { SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';

type OutgoingMail = {
  /** Becomes the Message-ID, so that a mail sent twice after a crash is recognised as one. */
  id: string;
  kind: string;
  recipient: string;
  replyTo: string | null;
  subject: string;
  text: string;
  html: string;
};

/** The port to the world of mail. */
export type Mailer = {
  /**
   * 'sent': a mail server has taken it. 'kept': there is none, and the log has what the reader needs.
   * Throws MailRefusedError when trying again is useless, anything else when it may help.
   */
  send(mail: OutgoingMail): Promise<'sent' | 'kept'>;
  close(): void;
};

/** The mail server will never take this mail for this recipient (550). */
export class MailRefusedError extends Error {
  override name = 'MailRefusedError';
}

/**
 * Sends through `smtp://` or `smtps://`. `from` is an address or `Name <address>`.
 * Every step of the conversation has `timeoutMs` (a hanging server fails like one that is down).
 */
export function openSmtpMailer(url: string, from: string, { timeoutMs = 10 * SECOND_MS } = {}): Mailer {
  const sender = parseSender(from);
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: 4,
    // The queue in the database tries again; a second try in here could deliver twice.
    maxRequeues: 0,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(mail) {
      try {
        await transport.sendMail(toMessage(mail, sender));
        return 'sent';
      } catch (error) {
        throw isRefusal(error) ? new MailRefusedError(error.response, { cause: error }) : error;
      }
    },
    close: () => transport.close(),
  };
}

/** For a server without SMTP: one log line per mail, with the code or link its reader waits for. */
export function openLogMailer(log: Log): Mailer {
  return {
    async send({ kind, recipient, subject, text }) {
      log.info(
        { kind, recipient, subject, forTheReader: findCodesAndLinks(text) },
        'No SMTP_URL is set: this mail is kept in the outbox and shown here.',
      );
      return 'kept';
    },
    close() {},
  };
}

/** `renderMail` gives each of them a line of its own. */
function findCodesAndLinks(text: string): string[] {
  return text.split('\n').filter((line) => /^(\d{6}|https?:\/\/\S+)$/.test(line));
}

type Sender = { name: string; address: string };

function toMessage({ id, recipient, replyTo, subject, text, html }: OutgoingMail, from: Sender) {
  const to = toPlainAddress(recipient);
  return {
    // Given as objects and as an explicit envelope, no address is ever parsed out of a header again.
    envelope: { from: from.address, to: [to] },
    from,
    to: { name: '', address: to },
    replyTo: replyTo === null ? undefined : { name: '', address: toPlainAddress(replyTo) },
    subject: toOneLine(subject),
    text,
    html,
    messageId: `<${id}@${from.address.split('@')[1]}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

/** One bare address: no list, no name, no comment, no quotes, no line break. */
function toPlainAddress(address: string): string {
  if (address.length > 254 || !/^[^\s\p{Cc},;:<>()[\]"\\@]+@[^\s\p{Cc},;:<>()[\]"\\@]+$/u.test(address)) {
    throw new MailRefusedError('The address is not one plain e-mail address.');
  }
  return address;
}

function toOneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

function parseSender(from: string): Sender {
  const match = /^(?:"?([^"<>]*?)"?\s*<([^<>]+)>|([^<>]+))$/.exec(from.trim());
  const address = match?.[2] ?? match?.[3];
  if (address === undefined) throw new Error(`MAIL_FROM is not an address: ${from}`);
  return { name: toOneLine(match?.[1] ?? ''), address: toPlainAddress(address.trim()) };
}

type SmtpReplyError = Error & { response: string };

/** 5xx said about this recipient or this message; about our login or our own address it is our mistake, not theirs. */
function isRefusal(error: unknown): error is SmtpReplyError {
  if (!(error instanceof Error) || !('responseCode' in error) || !('code' in error)) return false;
  const { code, responseCode } = error;
  const aboutRecipient = code === 'EENVELOPE' && 'command' in error && error.command === 'RCPT TO';
  return (aboutRecipient || code === 'EMESSAGE') && typeof responseCode === 'number' && responseCode >= 500;
}
