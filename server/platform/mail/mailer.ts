import { createTransport } from 'nodemailer';
import { SECOND_MS } from '../../../contracts/values/durations.ts';
import { oneClickUnsubscribePath } from '../../../contracts/values/links.ts';
import type { Log } from '../lib/logging/log.ts';
import { toOneLine, toSubject } from './plain-text.ts';

type OutgoingMail = {
  /** Becomes the Message-ID, so that a mail sent twice after a crash is recognised as one. */
  id: string;
  kind: string;
  recipient: string;
  replyTo: string | null;
  subject: string;
  text: string;
  html: string;
  unsubscribeToken: string | null;
};

/** The port to the world of mail. */
export type Mailer = {
  /** Whether a mail it answers 'kept' for waits for a mail server that is not configured yet. */
  keepsMails: boolean;
  /**
   * 'sent': a mail server has taken it. 'kept': there is none, and the log has what the reader needs.
   * Throws MailRefusedError when trying again is useless, anything else when it may help.
   */
  send(mail: OutgoingMail): Promise<'sent' | 'kept'>;
  /** Greets the mail server, signs in, and sends nothing. Throws what went wrong. */
  verify(): Promise<void>;
  close(): void;
};

/** The mail server will never take this mail for this recipient (550). */
export class MailRefusedError extends Error {
  override name = 'MailRefusedError';
}

/** The mail server offers no encryption, and SMTP_REQUIRE_TLS is on. Nothing was sent, neither mail nor password. */
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

/** The mailer that the settings ask for. Logs a warning if it may send unencrypted to another machine. */
export function openMailer({ smtpUrl, smtpRequireTls, mailFrom, publicUrl }: MailSettings, log: Log): Mailer {
  if (!smtpUrl) return openLogMailer(log);
  if (!smtpRequireTls && maySendUnencrypted(smtpUrl))
    log.warn(
      { mailServer: new URL(smtpUrl).host },
      'SMTP_REQUIRE_TLS=off: mails and the SMTP password may travel unencrypted.',
    );
  return openSmtpMailer(smtpUrl, { from: mailFrom, publicUrl, requireTls: smtpRequireTls });
}

/** Whether a mail server of this `SMTP_URL` is on another machine and may be used without encryption. */
export function maySendUnencrypted(smtpUrl: string): boolean {
  const { protocol, hostname } = new URL(smtpUrl);
  return protocol === 'smtp:' && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/i.test(hostname);
}

type SmtpOptions = {
  /** An address or `Name <address>`. */
  from: string;
  /** Where mail programs post their one click to unsubscribe. */
  publicUrl: string;
  /** Whether servers on other machines must offer encryption; true by default. */
  requireTls?: boolean;
  /** For every step of the conversation: a hanging server fails like one that is down. */
  timeoutMs?: number;
};

/** Sends through `smtp://` or `smtps://`. The mailer throws TlsMissingError for a server without encryption. */
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
 * For a server without SMTP: prints the whole text of each mail to the log. The first line names the mail, with its
 * codes and links for scripts; each line of the text follows as a log line, so that it can be read as it is.
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

/** `renderMail` gives each of them a line of its own. */
function findCodesAndLinks(text: string): string[] {
  return text.split('\n').filter((line) => /^(\d{6}|https?:\/\/\S+)$/.test(line));
}

const SENDER_NAME_LENGTH = 100;

type Sender = { name: string; address: string };

function toMessage(mail: OutgoingMail, { sender, publicUrl }: { sender: Sender; publicUrl: string }) {
  const { id, recipient, replyTo, subject, text, html, unsubscribeToken } = mail;
  const to = toPlainAddress(recipient);
  return {
    // Given as objects and as an explicit envelope, no address is ever parsed out of a header again.
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
      ...(unsubscribeToken !== null && unsubscribeHeaders(publicUrl, unsubscribeToken)),
    },
  };
}

/** RFC 8058: the reader's own program ends such mails with one click. */
function unsubscribeHeaders(publicUrl: string, token: string) {
  return {
    // Ready as it is: folded, the address would be broken in two.
    'List-Unsubscribe': { prepared: true, value: `<${publicUrl}${oneClickUnsubscribePath(token)}>` },
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
}

/** One bare address: no list, no name, no comment, no quotes, no line break. */
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

/** Parameters of the URL override the options of a transport, so that this one belongs there. */
function requireStartTls(smtpUrl: string): string {
  const url = new URL(smtpUrl);
  url.searchParams.set('requireTLS', 'true');
  return url.href;
}

/** What nodemailer throws when a server refuses STARTTLS, or does not understand EHLO, which offers it. */
function isTlsMissing(error: unknown): boolean {
  return error instanceof Error && /upgrading connection with|support required STARTTLS/.test(error.message);
}

type SmtpReplyError = Error & { response: string };

/** 5xx said about this recipient or this message; about our login or our own address it is our mistake, not theirs. */
function isRefusal(error: unknown): error is SmtpReplyError {
  if (!(error instanceof Error) || !('responseCode' in error) || !('code' in error)) return false;
  const { code, responseCode } = error;
  const aboutRecipient = code === 'EENVELOPE' && 'command' in error && error.command === 'RCPT TO';
  return (aboutRecipient || code === 'EMESSAGE') && typeof responseCode === 'number' && responseCode >= 500;
}
