import type { MailRow } from '../../server/platform/db/schema.ts';
import type { TestServer } from '../test-context.ts';

export async function mailsTo(
  server: Pick<TestServer, 'mails'>,
  kind: string,
  recipient: string,
): Promise<MailRow[]> {
  return (await server.mails()).filter((mail) => mail.kind === kind && mail.recipient === recipient);
}

export async function mailedToken(server: TestServer, kind: string, recipient: string): Promise<string> {
  const mail = (await mailsTo(server, kind, recipient)).at(-1);
  return /[?&#](?:token|invitation)=([0-9a-z]+)/.exec(mail?.text ?? '')![1]!;
}

export async function mailedCode(server: TestServer, recipient: string): Promise<string> {
  const mail = (await mailsTo(server, 'verification-code', recipient)).at(-1);
  return /^\d{6}$/m.exec(mail?.text ?? '')![0];
}
