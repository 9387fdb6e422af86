import { createTransport } from 'nodemailer';
import { oneClickUnsubscribePath } from '../../../contracts/values/addresses/links.ts';
import { SECOND_MS } from '../../../contracts/values/durations.ts';
import type { Log } from '../lib/logging/log.ts';
import { toOneLine, toSubject } from './plain-text.ts';

type OutgoingMail = {
  /** Becomes the Message-ID, so that a mail sent twice after a crash is recognized. */
  id: string;
  kind: string;
  recipient: string;
  replyTo: string | null;
  /** null: English. */
  language: string | null;
  subject: string;
  text: string;
  html: string;
  unsubscribeToken: string | null;
};

export type Mailer = {
  /** Mails with the result 'kept' wait for a mail server to be configured. */
  keepsMails: boolean;
  /**
   * 'kept': there is no mail server, and the log has the codes and links. Throws MailRefusedError if a retry
   * is useless, another error otherwise.
   */
  send(mail: OutgoingMail): Promise<'sent' | 'kept'>;
  /** Connects and signs in. Throws the connection's error. */
  verify(): Promise<void>;
  close(): void;
};

/** A permanent refusal of this mail or recipient (550). */
export class MailRefusedError extends Error {
  override name = 'MailRefusedError';
}

/** Neither mail nor password was sent. */
export class TlsMissingError extends Error {
  override name = 'TlsMissingError';

  constructor(host: string, options?: ErrorOptions) {
    const fix = 'Use a server or port that does, smtps:// for port 465, or SMTP_REQUIRE_TLS=off';
    super(
      `The mail server ${host} does not offer encryption (STARTTLS), so nothing is sent. ${fix}.`,
      options,
    );
  }
}

type MailSettings = {
  smtpUrl: string | undefined;
  smtpRequireTls: boolean;
  mailFrom: string;
  publicUrl: string;
};

/** Logs a warning if it may send unencrypted to another machine. */
export function openMailer({ smtpUrl, smtpRequireTls, mailFrom, publicUrl }: MailSettings, log: Log): Mailer {
  if (!smtpUrl) return openLogMailer(log);
  if (!smtpRequireTls && maySendUnencrypted(smtpUrl))
    log.warn(
      { mailServer: new URL(smtpUrl).host },
      'SMTP_REQUIRE_TLS=off: mails and the SMTP password may travel unencrypted.',
    );
  return openSmtpMailer(smtpUrl, { from: mailFrom, publicUrl, requireTls: smtpRequireTls });
}

/** True for a mail server on another machine that may be used without encryption. */
export function maySendUnencrypted(smtpUrl: string): boolean {
  const { protocol, hostname } = new URL(smtpUrl);
  return protocol === 'smtp:' && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/i.test(hostname);
}

type SmtpOptions = {
  /** An address or `Name <address>`. */
  from: string;
  publicUrl: string;
  /** On servers on other machines; true by default. */
  requireTls?: boolean;
  /** Applies to every step, so that a hanging server fails like one that is down. */
  timeoutMs?: number;
};

/** `smtp://` or `smtps://`. Throws TlsMissingError for a server without encryption. */
export function openSmtpMailer(
  url: string,
  { from, publicUrl, requireTls = true, timeoutMs = 10 * SECOND_MS }: SmtpOptions,
): Mailer {
  const sender = parseSender(from);
  const { host } = new URL(url);
  const transport = createTransport({
    url: requireTls && maySendUnencrypted(url) ? requireStartTls(url) : url,
    pool: true,
    maxConnections: 4,
    // The queue in the database retries; another attempt here could deliver twice.
    maxRequeues: 0,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    keepsMails: false,
    async send(mail) {
      try {
        await transport.sendMail(toMessage(mail, { sender, publicUrl }));
        return 'sent';
      } catch (error) {
        if (isTlsMissing(error)) throw new TlsMissingError(host, { cause: error });
        throw isRefusal(error) ? new MailRefusedError(error.response, { cause: error }) : error;
      }
    },
    async verify() {
      try {
        await transport.verify();
      } catch (error) {
        throw isTlsMissing(error) ? new TlsMissingError(host, { cause: error }) : error;
      }
    },
    close: () => transport.close(),
  };
}

/**
 * For a server without SMTP: writes mails to the log. The first line has the codes and links for scripts; the
 * text follows line by line.
 */
export function openLogMailer(log: Log): Mailer {
  return {
    keepsMails: true,
    async send({ id: mail, kind, recipient, subject, text }) {
      log.info(
        { mail, kind, recipient, subject, forTheReader: findCodesAndLinks(text) },
        'No SMTP_URL is set: this mail is kept in the outbox and shown here.',
      );
      for (const line of text.split('\n')) if (line.trim() !== '') log.info({ mail }, `  ${line}`);
      return 'kept';
    },
    async verify() {},
    close() {},
  };
}

/** `renderMail` puts each on a line of its own. */
function findCodesAndLinks(text: string): string[] {
  return text.split('\n').filter((line) => /^(\d{6}|https?:\/\/\S+)$/.test(line));
}

const SENDER_NAME_LENGTH = 100;

type Sender = { name: string; address: string };

function toMessage(mail: OutgoingMail, { sender, publicUrl }: { sender: Sender; publicUrl: string }) {
  const { id, recipient, replyTo, subject, text, html, unsubscribeToken } = mail;
  const to = toPlainAddress(recipient);
  return {
    // Passed as objects with an explicit envelope, so that no address is parsed from a header again.
    envelope: { from: sender.address, to: [to] },
    from: sender,
    to: { name: '', address: to },
    replyTo: replyTo === null ? undefined : { name: '', address: toPlainAddress(replyTo) },
    subject: toSubject(subject),
    text,
    html,
    messageId: `<${id}@${sender.address.split('@')[1]}>`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'Content-Language': mail.language ?? 'en',
      ...(unsubscribeToken !== null && unsubscribeHeaders(publicUrl, unsubscribeToken)),
    },
  };
}

/** RFC 8058. */
function unsubscribeHeaders(publicUrl: string, token: string) {
  return {
    // Prepared, because folding would split the address.
    'List-Unsubscribe': { prepared: true, value: `<${publicUrl}${oneClickUnsubscribePath(token)}>` },
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
}

/** Rejects lists, names, comments, quotes and line breaks. */
function toPlainAddress(address: string): string {
  if (address.length > 254 || !/^[^\s\p{Cc},;:<>()[\]"\\@]+@[^\s\p{Cc},;:<>()[\]"\\@]+$/u.test(address)) {
    throw new MailRefusedError('The address is not one plain email address.');
  }
  return address;
}

function parseSender(from: string): Sender {
  const match = /^(?:"?([^"<>]*?)"?\s*<([^<>]+)>|([^<>]+))$/.exec(from.trim());
  const address = match?.[2] ?? match?.[3];
  if (address === undefined) throw new Error(`MAIL_FROM is not an address: ${from}`);
  return { name: toOneLine(match?.[1] ?? '', SENDER_NAME_LENGTH), address: toPlainAddress(address.trim()) };
}

/** Parameters of the URL override a transport's options. */
function requireStartTls(smtpUrl: string): string {
  const url = new URL(smtpUrl);
  url.searchParams.set('requireTLS', 'true');
  return url.href;
}

/** nodemailer's errors if a server refuses STARTTLS, or doesn't understand EHLO, which announces it. */
function isTlsMissing(error: unknown): boolean {
  return error instanceof Error && /upgrading connection with|support required STARTTLS/.test(error.message);
}

type SmtpReplyError = Error & { response: string };

/** A 5xx about our login or sender address is a configuration error instead. */
function isRefusal(error: unknown): error is SmtpReplyError {
  if (!(error instanceof Error) || !('responseCode' in error) || !('code' in error)) return false;
  const { code, responseCode } = error;
  const aboutRecipient = code === 'EENVELOPE' && 'command' in error && error.command === 'RCPT TO';
  return (aboutRecipient || code === 'EMESSAGE') && typeof responseCode === 'number' && responseCode >= 500;
}
