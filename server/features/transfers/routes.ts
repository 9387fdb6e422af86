import type { FastifyInstance } from 'fastify';
import {
  deleteTransfer as deleteTransferCall,
  getTransfer as getTransferCall,
  listTransferFiles,
  listTransfers as listTransfersCall,
  resendTransfer as resendTransferCall,
  updateTransfer as updateTransferCall,
} from '../../../contracts/transfers/transfers.ts';
import type { Context } from '../../context.ts';
import { addressKey } from '../../platform/http/limits/rate-limits.ts';
import { route } from '../../platform/http/routing/route.ts';
import { resendTransfer } from './mails/resend.ts';
import { updateTransfer } from './settings/edit-transfer.ts';
import { deleteTransfer, getTransfer, listOwnFiles, listTransfers } from './transfers.ts';

export function transferRoutes(app: FastifyInstance, context: Context): void {
  route(app, listTransfersCall, ({ query, user }) => listTransfers(context, user.id, query));

  route(app, getTransferCall, ({ params, query, user }) =>
    getTransfer(context, { transferId: params.id, userId: user.id }, query.firstFiles),
  );

  route(app, listTransferFiles, async ({ params, query, user }) => {
    const owned = { transferId: params.id, userId: user.id };
    const { files, nextFiles } = await listOwnFiles(context, owned, query.cursor);
    return { items: files, nextCursor: nextFiles ?? undefined };
  });

  route(app, updateTransferCall, ({ params, body, user, request }) => {
    const edit = { transferId: params.id, sender: user, changes: body, address: addressKey(request) };
    return updateTransfer(context, edit);
  });

  route(app, deleteTransferCall, ({ params, user }) =>
    deleteTransfer(context, { transferId: params.id, userId: user.id }),
  );

  route(app, resendTransferCall, async ({ params, body, user, request }) => ({
    sent: await resendTransfer(context, {
      transferId: params.id,
      senderId: user.id,
      recipientEmails: body.recipientEmails,
      address: addressKey(request),
    }),
  }));
}
