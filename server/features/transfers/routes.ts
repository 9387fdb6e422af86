import type { FastifyInstance } from 'fastify';
import {
  deleteTransfer as deleteTransferCall,
  getTransfer as getTransferCall,
  listTransfers as listTransfersCall,
  resendTransfer as resendTransferCall,
} from '../../../contracts/transfers.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/route.ts';
import { resendTransfer } from './resend.ts';
import { deleteTransfer, getTransfer, listTransfers } from './transfers.ts';

export function transferRoutes(app: FastifyInstance, context: Context): void {
  route(app, listTransfersCall, ({ user }) => listTransfers(context, user.id));

  route(app, getTransferCall, ({ params, user }) =>
    getTransfer(context, { transferId: params.id, userId: user.id }),
  );

  route(app, deleteTransferCall, ({ params, user }) =>
    deleteTransfer(context, { transferId: params.id, userId: user.id }),
  );

  route(app, resendTransferCall, async ({ params, body, user }) => ({
    sent: await resendTransfer(context, {
      transferId: params.id,
      sender: user,
      recipientEmails: body.recipientEmails,
    }),
  }));
}
