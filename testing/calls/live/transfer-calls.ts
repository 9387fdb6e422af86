import { listWebhookDeliveries, testWebhook } from '../../../contracts/accounts/webhooks.ts';
import { createPickupCode } from '../../../contracts/transfers/downloads/pickup.ts';
import { encodeSelection } from '../../../contracts/transfers/downloads/selection.ts';
import { deleteTransfer } from '../../../contracts/transfers/transfers.ts';
import { beginUpdate, planUpdate } from '../../../contracts/transfers/versions.ts';
import { checkFilesJob } from '../../../server/features/checksums/check-files.ts';
import { publishFiles } from '../../uploads/arriving-transfers.ts';
import { unlockSealed } from '../../uploads/sealed-transfers.ts';
import { announceFile } from '../../uploads/upload-files.ts';
import { startReceiver } from '../../webhooks/webhook-receiver.ts';
import { subscribe } from '../../webhooks/webhooks.ts';
import type { LiveCall, LiveWorld } from './live-world.ts';

export const TRANSFER_CALLS: Record<string, LiveCall> = {
  listTransfers: async (world) => {
    for (let count = 0; count < 2; count += 1) await world.transfer();
    return { query: { limit: '1', sort: 'newest' } };
  },
  getTransfer: async (world) => {
    const { id, token, files } = await world.transfer({ recipientEmails: ['rex@example.org'] });
    const answer = await world.server.anonymous().fetch(`/api/download/${token}/file/${files[0]!.id}`);
    await answer.arrayBuffer();
    return { params: { id } };
  },
  listTransferFiles: ofTransfer,
  updateTransfer: async (world) => ({
    ...(await ofTransfer(world)),
    body: { title: 'Other', maxDownloads: 3 },
  }),
  deleteTransfer: ofTransfer,
  restoreTransfer: ofDeletedTransfer,
  deleteTransfers: ofTransfers,
  restoreTransfers: async (world) => ({
    body: { transferIds: [(await ofDeletedTransfer(world)).params.id] },
  }),
  extendTransfers: async (world) => ({
    body: { ...(await ofTransfers(world)).body, expirationDays: 2 },
  }),
  resendTransfer: async (world) => ({
    params: { id: (await world.transfer({ recipientEmails: ['rex@example.org'] })).id },
    body: { recipientEmails: ['rex@example.org'] },
  }),
  publishTransfer: async ({ prem }) => {
    const { transferId } = await announceFile(prem, 'early.txt', Buffer.from('early'));
    return { params: { id: transferId }, body: { expectedFiles: 1, title: 'Early' } };
  },
  viewArrival: async ({ prem }) => {
    const { token } = await publishFiles(prem, [{ name: 'early.txt', bytes: Buffer.from('early') }]);
    return { params: { token } };
  },
  askForArrivalNotice: async ({ prem }) => {
    const { token } = await publishFiles(prem, [{ name: 'early.txt', bytes: Buffer.from('early') }]);
    return { params: { token }, body: { email: 'rex@example.org' } };
  },
  viewReaders: async (world) => ({ params: { id: (await world.seenTransfer()).id } }),
  listArriving: async ({ prem }) => {
    await publishFiles(prem, [{ name: 'early.txt', bytes: Buffer.from('early') }]);
    return {};
  },
  beginUpdate: ofTransfer,
  planUpdate: async (world) => {
    const { params, files } = await ofUpdate(world);
    return { params, body: { reused: [{ fileId: files[0]!.id, relativePath: 'copy.txt' }] } };
  },
  listStagedFiles: async (world) => {
    const { params, draftId } = await ofUpdate(world);
    for (const name of ['one.txt', 'two.txt'])
      await announceFile(world.prem, name, Buffer.from(name), draftId);
    return { params };
  },
  publishUpdate: async (world) => {
    const { params, files, version } = await ofUpdate(world);
    const reused = [{ fileId: files[0]!.id, relativePath: 'copy.txt' }];
    await world.prem.call(planUpdate, { params, body: { reused } });
    return { params, body: { version } };
  },
  discardUpdate: async (world) => ({ params: (await ofUpdate(world)).params }),
  listVersions: ofTransfer,
  listDownloadVersions: ofToken,
  listVersionFiles: ofFirstVersion,
  downloadVersion: ofFirstVersion,
  getPickupCode: async (world) => ({ params: (await ofPickupCode(world)).params }),
  createPickupCode: ofTransfer,
  deletePickupCode: async (world) => ({ params: (await ofPickupCode(world)).params }),
  pickUp: async (world) => ({ body: { code: (await ofPickupCode(world)).code } }),
  getTransferAnalytics: async (world) => ({
    params: { id: (await world.seenTransfer()).id },
    query: { days: '7' },
  }),
  getAnalytics: async (world) => {
    await world.seenTransfer();
    return {};
  },
  exportTransferAnalytics: async (world) => ({ params: { id: (await world.seenTransfer()).id } }),
  exportAnalytics: () => ({ query: { days: '7' } }),
  showThumbnail: ofSeenFile,
  previewFile: ofSeenFile,
  showOwnThumbnail: ofOwnSeenFile,
  previewOwnFile: ofOwnSeenFile,
  countPdfPages: ofSeenDocument,
  showPdfPage: ofSeenDocument,
  countOwnPdfPages: ofOwnSeenDocument,
  showOwnPdfPage: ofOwnSeenDocument,
  getOwnManifest: async (world) => ({ params: { id: (await world.sealedTransfer()).id } }),
  getOwnPictures: async (world) => ({ params: { id: (await world.sealedTransfer()).id } }),
  getManifest: ofSealedToken,
  getPictures: ofSealedToken,
  viewDownload: ofToken,
  listDownloadFiles: ofToken,
  verifyDownload: async (world) => ({
    params: { token: (await world.transfer({ password: 'open sesame' })).token },
    body: { password: 'open sesame' },
  }),
  downloadFile: ofSeenFile,
  downloadAll: ofToken,
  downloadSelection: async (world) => ({
    params: { token: (await world.transfer()).token, files: encodeSelection([0]) },
  }),
  downloadChecksums: async (world) => {
    const { id, token } = await world.transfer();
    const once = { attempt: 1, signal: new AbortController().signal };
    await checkFilesJob.run(world.server.context, { transferId: id }, once);
    return { params: { token } };
  },
  askToReopen: async (world) => {
    const { server } = world;
    const { token } = await world.transfer({ expiresAt: server.clock.now() - 1 });
    return { params: { token }, body: { note: 'Please' } };
  },
  reportTransfer: async (world) => ({ ...(await ofToken(world)), body: { reason: 'malware' } }),
  listWebhooks: async (world) => {
    await ofWebhook(world);
    return {};
  },
  createWebhook: async ({ t }) => ({
    body: { url: (await startReceiver(t)).url, events: ['transfer.ready'] },
  }),
  updateWebhook: async (world) => ({ ...(await ofWebhook(world)), body: { isActive: false } }),
  deleteWebhook: ofWebhook,
  getWebhookSecret: ofWebhook,
  rotateWebhookSecret: ofWebhook,
  testWebhook: ofWebhook,
  listWebhookDeliveries: async (world) => {
    const { id } = (await ofDelivery(world)).params;
    await world.prem.call(testWebhook, { params: { id } });
    return { params: { id }, query: { limit: '1' } };
  },
  getWebhookDelivery: ofDelivery,
  replayWebhookDelivery: ofDelivery,
};

async function ofTransfer(world: LiveWorld) {
  return { params: { id: (await world.transfer()).id } };
}

async function ofUpdate(world: LiveWorld) {
  const { id, files } = await world.transfer();
  const params = { id };
  return { params, files, ...(await world.prem.call(beginUpdate, { params })) };
}

async function ofFirstVersion(world: LiveWorld) {
  return { params: { token: (await world.transfer()).token, version: '1' } };
}

async function ofPickupCode(world: LiveWorld) {
  const { params } = await ofTransfer(world);
  const { code } = await world.prem.call(createPickupCode, { params });
  return { params, code };
}

async function ofDeletedTransfer(world: LiveWorld) {
  const { id } = await world.transfer();
  await world.prem.call(deleteTransfer, { params: { id }, query: { undoable: 'true' } });
  return { params: { id } };
}

async function ofTransfers(world: LiveWorld) {
  return { body: { transferIds: [(await world.transfer()).id] } };
}

async function ofToken(world: LiveWorld) {
  return { params: { token: (await world.transfer()).token } };
}

async function ofSealedToken(world: LiveWorld) {
  const sent = await world.sealedTransfer();
  const caller = world.server.anonymous();
  await unlockSealed(caller, sent);
  return { caller, params: { token: sent.token } };
}

async function ofSeenFile(world: LiveWorld) {
  const { token, files } = await world.seenTransfer();
  return { params: { token, fileId: files[0]!.id } };
}

async function ofOwnSeenFile(world: LiveWorld) {
  const { id, files } = await world.seenTransfer();
  return { params: { id, fileId: files[0]!.id } };
}

async function ofSeenDocument(world: LiveWorld) {
  const { token, files } = await world.seenDocument();
  return { params: { token, fileId: files[0]!.id, page: '2' } };
}

async function ofOwnSeenDocument(world: LiveWorld) {
  const { id, files } = await world.seenDocument();
  return { params: { id, fileId: files[0]!.id, page: '2' } };
}

async function ofWebhook({ t, prem }: LiveWorld) {
  return { params: { id: (await subscribe(prem, (await startReceiver(t)).url)).id } };
}

async function ofDelivery(world: LiveWorld) {
  const { params } = await ofWebhook(world);
  await world.prem.call(testWebhook, { params });
  await world.server.drainJobs();
  const [delivery] = await world.prem.call(listWebhookDeliveries, { params });
  return { params: { ...params, deliveryId: delivery!.id } };
}
