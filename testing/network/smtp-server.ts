import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';

/** The reply of a mail server that refuses, such as 451 (temporary) or 550 (permanent). */
type Refusal = { code: number; message: string };

type ReceivedMail = Email & {
  envelope: { from: string; to: string[] };
  raw: string;
  isEncrypted: boolean;
};

export type TestSmtpServer = {
  url: string;
  mails: ReceivedMail[];
  /** Undefined accepts the recipient. */
  refuseRecipient: (address: string) => Refusal | undefined;
  /** Undefined accepts the sender. */
  refuseSender: (address: string) => Refusal | undefined;
  stop(): Promise<void>;
};

/**
 * Starts a real SMTP server on a loopback port: a free one, or that of a server that was stopped. With `offersTls` it
 * offers STARTTLS with an untrusted certificate.
 */
export async function startSmtpServer({ port = 0, offersTls = false } = {}): Promise<TestSmtpServer> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: offersTls ? ['AUTH'] : ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    closeTimeout: 1,
    onMailFrom: ({ address }, _session, callback) => callback(toError(result.refuseSender(address))),
    onRcptTo: ({ address }, _session, callback) => callback(toError(result.refuseRecipient(address))),
    onData: (stream, session, callback) => {
      readMail(stream, session).then(
        (mail) => {
          mails.push(mail);
          callback();
        },
        (error: Error) => callback(error),
      );
    },
  });
  // Clients handle broken connections.
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.server.address() as AddressInfo;
  const result: TestSmtpServer = {
    url: `smtp://127.0.0.1:${address.port}`,
    mails,
    refuseRecipient: () => undefined,
    refuseSender: () => undefined,
    async stop() {
      const closed = once(server.server, 'close');
      server.close();
      await closed;
    },
  };
  return result;
}

function toError(refusal: Refusal | undefined): Error | null {
  return refusal ? Object.assign(new Error(refusal.message), { responseCode: refusal.code }) : null;
}

async function readMail(stream: AsyncIterable<Buffer>, session: SMTPServerSession): Promise<ReceivedMail> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  const raw = Buffer.concat(chunks);
  const { mailFrom, rcptTo } = session.envelope;
  const envelope = { from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address) };
  const mail = await PostalMime.parse(raw);
  return { ...mail, envelope, raw: raw.toString('utf8'), isEncrypted: session.secure };
}
