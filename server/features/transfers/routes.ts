import type { FastifyInstance } from 'fastify';
import {
  deleteTransfers,
  extendTransfers,
  restoreTransfers,
} from '../../../contracts/transfers/transfer-batches.ts';
import {
  deleteTransfer as deleteTransferCall,
  getOwnManifest,
  getOwnPictures,
  getTransfer as getTransferCall,
  listTransferFiles,
  listTransfers as listTransfersCall,
  resendTransfer as resendTransferCall,
  restoreTransfer as restoreTransferCall,
  updateTransfer as updateTransferCall,
} from '../../../contracts/transfers/transfers.ts';
import type { Context } from '../../context.ts';
import { addressKey } from '../../platform/http/limits/rate-limits.ts';
import { route } from '../../platform/http/routing/route.ts';
import { sendSealedDocument } from './encryption/sealed-documents.ts';
import { resendTransfer } from './mails/resend.ts';
import { updateTransfer } from './settings/edit-transfer.ts';
import { deleteBatch, extendBatch, restoreBatch } from './transfer-batches.ts';
import {
  deleteTransfer,
  getTransfer,
  listOwnFiles,
  listTransfers,
  requireOwnTransfer,
  restoreTransfer,
} from './transfers.ts';

export function transferRoutes(app: FastifyInstance, context: Context): void {
  route(app, listTransfersCall, ({ query, user }) => listTransfers(context, user, query));

  route(app, getTransferCall, ({ params, query, user }) =>
    getTransfer(context, { transferId: params.id, userId: user.id }, query.firstFiles),
  );

  route(app, listTransferFiles, async ({ params, query, user }) => {
    const owned = { transferId: params.id, userId: user.id };
    const { files, nextFiles } = await listOwnFiles(context, owned, query.cursor);
    return { items: files, nextCursor: nextFiles ?? undefined };
  });

  for (const [call, kind] of [
    [getOwnManifest, 'manifest'],
    [getOwnPictures, 'pictures'],
  ] as const)
    route(app, call, async ({ params: { id: transferId }, user, request, reply }) => {
      await requireOwnTransfer(context, { transferId, userId: user.id });
      await sendSealedDocument(context, { transferId, kind }, { request, reply });
    });

  route(app, updateTransferCall, ({ params, body, user, request }) => {
    const edit = { transferId: params.id, sender: user, changes: body, address: addressKey(request) };
    return updateTransfer(context, edit);
  });

  route(app, deleteTransferCall, ({ params, query, user }) => {
    const owned = { transferId: params.id, userId: user.id };
    return deleteTransfer(context, owned, { isUndoable: query.undoable === 'true' });
  });

  route(app, restoreTransferCall, ({ params, user }) =>
    restoreTransfer(context, { transferId: params.id, userId: user.id }),
  );

  route(app, deleteTransfers, async ({ body, user }) => {
    const { transferIds, undoable: isUndoable } = body;
    return { results: await deleteBatch(context, { transferIds, user }, { isUndoable }) };
  });

  route(app, restoreTransfers, async ({ body, user }) => ({
    results: await restoreBatch(context, { ...body, user }),
  }));

  route(app, extendTransfers, async ({ body, user, request }) => {
    const { transferIds, expirationDays } = body;
    const address = addressKey(request);
    return { results: await extendBatch(context, { transferIds, user }, { expirationDays, address }) };
  });

  route(app, resendTransferCall, async ({ params, body, user, request }) => ({
    sent: await resendTransfer(context, {
      transferId: params.id,
      senderId: user.id,
      recipientEmails: body.recipientEmails,
      address: addressKey(request),
    }),
  }));
}
