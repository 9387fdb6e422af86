import {
  type CreateInvitationInput,
  createInvitation,
  type Invitation,
  sendInvitationCode,
  verifyInvitationCode,
} from '../../contracts/transfers/uploads/invitations.ts';
import type { Client } from '../calls/client.ts';
import { mailsTo } from '../calls/mailed-tokens.ts';
import type { TestServer } from '../test-context.ts';

export const VERA = 'vera@atelier.example.net';

/** The part of a server that a visit uses. */
type Visited = Pick<TestServer, 'anonymous' | 'mails'>;

/** Creates an invitation of a Premium user, by default for any files and 30 days. */
export function startInvitation(
  owner: Client,
  settings: Partial<CreateInvitationInput> = {},
): Promise<Invitation> {
  return owner.call(createInvitation, { body: { title: 'Studio pictures', ...settings } });
}

/** A client that has verified this address for the invitation with the code in its mail. */
export async function visitInvitation(
  server: Visited,
  invitationToken: string,
  email: string = VERA,
): Promise<Client> {
  const visitor = server.anonymous();
  const params = { token: invitationToken };
  const code = await requestCode(server, visitor, { invitationToken, email });
  await visitor.call(verifyInvitationCode, { params, body: { email, code } });
  return visitor;
}

/** Requests a code and reads it from the mail. A second request within a minute is refused. */
export async function requestCode(
  server: Visited,
  visitor: Client,
  { invitationToken, email = VERA }: { invitationToken: string; email?: string },
): Promise<string> {
  const before = new Set((await mailsTo(server, 'visitor-code', email)).map(({ id }) => id));
  await visitor.call(sendInvitationCode, { params: { token: invitationToken }, body: { email } });
  const mail = (await mailsTo(server, 'visitor-code', email)).find(({ id }) => !before.has(id));
  return /^\d{6}$/m.exec(mail?.text ?? '')![0];
}
