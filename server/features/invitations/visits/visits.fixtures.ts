import type { TestContext } from 'node:test';
import {
  getInvitationDetails,
  type Invitation,
  sendInvitationCode,
  verifyInvitationCode,
} from '../../../../contracts/transfers/uploads/invitations.ts';
import type { Client } from '../../../../testing/calls/client.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import {
  requestCode as requestVisitorCode,
  startInvitation,
  VERA,
} from '../../../../testing/visitors/visit.ts';

export type Stage = { server: TestServer; owner: Client; invitation: Invitation; visitor: Client };

export async function setStage(t: TestContext, env: Record<string, string> = {}): Promise<Stage> {
  const server = await startTestServer(t, env);
  const owner = await server.signIn('prem');
  return { server, owner, invitation: await startInvitation(owner), visitor: server.anonymous() };
}

export const send = (client: Client, { token }: Invitation, email: unknown = VERA) =>
  client.call(sendInvitationCode, { params: { token }, body: { email } });

export const verify = (client: Client, { token }: Invitation, code: unknown, email: unknown = VERA) =>
  client.call(verifyInvitationCode, { params: { token }, body: { email, code } });

export const requestCode = ({ server, visitor, invitation }: Stage, email = VERA) =>
  requestVisitorCode(server, visitor, { invitationToken: invitation.token, email });

export async function verifiedAddress(client: Client, { token }: Invitation): Promise<string | undefined> {
  const { visitor } = await client.call(getInvitationDetails, { params: { token } });
  return visitor?.email;
}

export function wrongCode(code: string, step = 1): string {
  return String((Number(code) + step) % 1_000_000).padStart(6, '0');
}
