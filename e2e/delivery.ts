import { sendInvitationCode, verifyInvitationCode } from '../contracts/transfers/invitations.ts';
import { completeUpload, initUploads } from '../contracts/transfers/uploads.ts';
import { type NamedBytes, sha256 } from '../testing/uploads/send-transfer.ts';
import { describeFile } from '../testing/uploads/upload-files.ts';
import type { JourneyServer } from './journey-server.ts';

type Delivery = {
  /** Of the invitation. */
  invitationToken: string;
  /** Each address is proved once in a journey. */
  email: string;
  message?: string;
  /** Of one chunk each. */
  files: NamedBytes[];
};

/** What a visitor's page does, call by call; returns the id of the transfer that the owner then has. */
export async function deliverFiles(server: JourneyServer, delivery: Delivery): Promise<string> {
  const { invitationToken, email, message, files } = delivery;
  const visitor = server.anonymous();
  const params = { token: invitationToken };
  await visitor.call(sendInvitationCode, { params, body: { email } });
  const code = await server.findLink(email, 'visitor-code');
  await visitor.call(verifyInvitationCode, { params, body: { email, code } });
  const { transferId, uploads } = await visitor.call(initUploads, {
    body: { invitationToken, files: files.map(({ fileName, bytes }) => describeFile(fileName, bytes)) },
  });
  for (const [position, { uploadId }] of uploads.entries()) {
    const bytes = files[position]!.bytes;
    const response = await visitor.fetch(
      `/api/upload/chunk/${uploadId}/0?invitationToken=${invitationToken}`,
      {
        method: 'POST',
        headers: {
          'content-type': 'application/octet-stream',
          'content-digest': `sha-256=:${Buffer.from(sha256(bytes), 'hex').toString('base64')}:`,
        },
        body: new Uint8Array(bytes),
      },
    );
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
    await response.body?.cancel();
    await visitor.call(completeUpload, {
      params: { uploadId },
      body: { invitationToken, fileCount: files.length, ...(message && { message }) },
    });
  }
  return transferId;
}
