import { createHash } from 'node:crypto';
import { initUpload } from '../../../contracts/transfers/uploads/uploads.ts';
import {
  describeSealed,
  fileIdOf,
  makeAccess,
  makeSealed,
  makeSealedManifest,
} from '../../uploads/sealed-transfers.ts';
import { announceFile } from '../../uploads/upload-files.ts';
import { makeSealedKey, SealedDelivery } from '../../visitors/sealed-deliveries.ts';
import { requestCode, startInvitation, VERA, visitInvitation } from '../../visitors/visit.ts';
import { formOf } from './account-calls.ts';
import type { LiveCall, LiveWorld } from './live-world.ts';

const HELLO = 'Hello, world!';
const FILE = { fileName: 'hello.txt', fileSize: HELLO.length, totalChunks: 1, mimeType: 'text/plain' };
const SETTINGS = { title: 'Hello', recipientEmails: ['rex@example.org'], expirationDays: 7 };
const TUS = { 'tus-resumable': '1.0.0' };
const OFFSET = { type: 'application/offset+octet-stream', bytes: HELLO };

export const SENDING_CALLS: Record<string, LiveCall> = {
  initUpload: () => ({ body: FILE }),
  initUploads: () => ({ body: { files: [FILE, { ...FILE, relativePath: 'notes/hello.txt' }] } }),
  uploadChunk: async ({ prem }) => {
    const { uploadId } = await announceFile(prem, 'hello.txt', Buffer.from(HELLO));
    const digest = createHash('sha256').update(HELLO).digest('base64');
    return {
      params: { uploadId, index: '0' },
      raw: { type: 'application/octet-stream', bytes: HELLO },
      headers: { 'content-digest': `sha-256=:${digest}:` },
    };
  },
  putManifest: (world) => ofSealedDraft(world, makeSealedManifest()),
  putPictures: (world) => ofSealedDraft(world, makeSealed(100)),
  putSealedKey: async ({ server, prem }) => {
    const { token: invitationToken } = await startInvitation(prem, { encryption: 'e2e-1' });
    const caller = await visitInvitation(server, invitationToken);
    const delivery = new SealedDelivery(caller, invitationToken);
    await delivery.announce();
    const { transferId } = delivery;
    return { caller, params: { transferId }, body: { invitationToken, sealedKey: makeSealedKey() } };
  },
  signChunks: async (world) => ({
    ...(await ofSentUpload(world)),
    body: { parts: [{ index: 0, crc32: 0 }] },
  }),
  confirmChunks: async (world) => ({ ...(await ofSentUpload(world)), body: { indexes: [0] } }),
  listChunks: ofSentUpload,
  abortUpload: ofSentUpload,
  abortUploads: async (world) => ({ body: { uploadIds: [(await world.sentUpload()).uploadId] } }),
  listUploads: async (world) => {
    await world.sentUpload();
    return {};
  },
  completeUpload: async (world) => ({ ...(await ofSentUpload(world)), body: SETTINGS }),
  completeUploads: async (world) => {
    const { uploadId, transferId } = await world.sentUpload();
    return { body: { ...SETTINGS, transferId, uploadIds: [uploadId] } };
  },
  putFile: () => ({ params: { name: 'hello.txt' }, raw: { type: 'text/plain', bytes: HELLO } }),
  discoverTus: () => ({ headers: TUS }),
  createTusUpload: () => ({ headers: { ...TUS, 'upload-length': String(HELLO.length) } }),
  headTusUpload: ofTus,
  patchTusUpload: async (world) => ({
    ...(await ofTus(world)),
    raw: OFFSET,
    headers: { ...TUS, 'upload-offset': '0' },
  }),
  deleteTusUpload: ofTus,
  overrideTusMethod: async (world) => ({
    ...(await ofTus(world)),
    raw: OFFSET,
    headers: { ...TUS, 'upload-offset': '0', 'x-http-method-override': 'PATCH' },
  }),
  listInvitations: async (world) => {
    await startInvitation(world.prem);
    return {};
  },
  createInvitation: () => ({ body: { title: 'Drafts', maxFiles: 3, allowedTypes: 'pdf, .txt' } }),
  updateInvitation: async (world) => ({ ...(await ofInvitation(world)), body: { maxFiles: 9 } }),
  toggleInvitation: async (world) => ({ ...(await ofInvitation(world)), body: { isActive: false } }),
  deleteInvitation: ofInvitation,
  listArrivals: async (world) => {
    const { id, token } = await startInvitation(world.prem);
    const visitor = await visitInvitation(world.server, token);
    const form = formOf({ files: Buffer.from(HELLO) });
    await visitor.fetch(`/api/upload-invitations/${token}/upload`, { method: 'POST', body: form });
    return { params: { id } };
  },
  getInvitationDetails: async ({ prem }) => ({ params: { token: (await startInvitation(prem)).token } }),
  sendInvitationCode: async ({ prem }) => ({
    params: { token: (await startInvitation(prem)).token },
    body: { email: VERA },
  }),
  verifyInvitationCode: async ({ server, prem }) => {
    const { token } = await startInvitation(prem);
    const caller = server.anonymous();
    const code = await requestCode(server, caller, { invitationToken: token });
    return { caller, params: { token }, body: { email: VERA, code } };
  },
  uploadToInvitation: async ({ server, prem }) => {
    const { token } = await startInvitation(prem);
    const caller = await visitInvitation(server, token);
    return { caller, params: { token }, form: formOf({ files: Buffer.from(HELLO) }) };
  },
};

async function ofSealedDraft({ prem }: LiveWorld, bytes: Buffer) {
  const file = describeSealed(fileIdOf('file'), makeSealed(10));
  const body = { ...file, encryption: makeAccess().encryption };
  const { transferId } = await prem.call(initUpload, { body });
  const raw = { type: 'application/octet-stream', bytes: new Uint8Array(bytes) };
  return { params: { transferId }, query: { revision: '1' }, raw };
}

async function ofSentUpload(world: LiveWorld) {
  return { params: { uploadId: (await world.sentUpload()).uploadId } };
}

async function ofInvitation({ prem }: LiveWorld) {
  return { params: { id: (await startInvitation(prem)).id } };
}

async function ofTus(world: LiveWorld) {
  const { client, headers } = await world.key();
  const answer = await client.fetch('/api/tus', {
    method: 'POST',
    headers: { ...headers, ...TUS, 'upload-length': String(HELLO.length) },
  });
  const uploadId = answer.headers.get('location')!.split('/').at(-1)!;
  return { params: { uploadId }, headers: TUS };
}
