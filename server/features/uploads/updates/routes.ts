import type { FastifyInstance } from 'fastify';
import {
  beginUpdate as beginUpdateCall,
  discardUpdate as discardUpdateCall,
  listStagedFiles,
  listVersions,
  planUpdate as planUpdateCall,
  publishUpdate as publishUpdateCall,
} from '../../../../contracts/transfers/versions.ts';
import type { Context } from '../../../context.ts';
import { route } from '../../../platform/http/routing/route.ts';
import { findOwnTransfer, listVersionsOf, requireComplete } from '../../transfers/index.ts';
import { beginUpdate, discardUpdate, listStaged, planUpdate, publishUpdate } from './updates.ts';

export function updateRoutes(app: FastifyInstance, context: Context): void {
  route(app, beginUpdateCall, ({ params: { id: transferId }, query: { anew }, user: owner }) =>
    beginUpdate(context, { transferId, owner, anew: anew === 'true' }),
  );

  route(app, planUpdateCall, ({ params: { id: transferId }, body: { draftId, ...planned }, user: owner }) =>
    planUpdate(context, { transferId, owner, draftId }, planned),
  );

  route(app, listStagedFiles, ({ params: { id: transferId }, query: { cursor }, user: owner }) =>
    listStaged(context, { transferId, owner }, cursor),
  );

  route(app, publishUpdateCall, ({ params: { id: transferId }, body: { version, draftId }, user: owner }) =>
    publishUpdate(context, { transferId, owner, draftId }, version),
  );

  route(app, discardUpdateCall, ({ params: { id: transferId }, query: { draftId }, user: owner }) =>
    discardUpdate(context, { transferId, owner, draftId }),
  );

  route(app, listVersions, async ({ params: { id }, user }) => {
    const transfer = await findOwnTransfer(context.db, user.id, id);
    requireComplete(transfer);
    return listVersionsOf(context, transfer);
  });
}
