import type { FastifyInstance } from 'fastify';
import { lookUp as lookUpCall } from '../../../../contracts/admin/lookup.ts';
import {
  batchDelete,
  batchExtend,
  deleteAnyTransfer as deleteAnyTransferCall,
  extendTransfer,
  listAllTransfers,
  listReports as listReportsCall,
  setTakenDown as setTakenDownCall,
  settleReport as settleReportCall,
} from '../../../../contracts/admin/transfers.ts';
import type { Context } from '../../../context.ts';
import { route } from '../../../platform/http/routing/route.ts';
import { byCaller } from '../audit.ts';
import { findWhereabouts } from './lookup.ts';
import { listReports, settleReport } from './reports.ts';
import { deleteAnyTransfer, deleteTransfers, extendMany, extendOne, setTakenDown } from './transfer-acts.ts';
import { listTransfersOfAll } from './transfer-list.ts';

export function transferAdminRoutes(app: FastifyInstance, context: Context): void {
  const by = (call: Parameters<typeof byCaller>[1]) => byCaller(context, call);

  route(app, listAllTransfers, ({ query, request }) =>
    listTransfersOfAll(context, query, () => request.raw.socket.destroyed),
  );

  route(app, lookUpCall, ({ query }) => findWhereabouts(context, query.q));

  route(app, deleteAnyTransferCall, (call) =>
    deleteAnyTransfer(context, { id: call.params.id, by: by(call) }),
  );

  route(app, extendTransfer, (call) =>
    extendOne(context, { id: call.params.id, days: call.body.days, by: by(call) }),
  );

  route(app, batchDelete, async (call) => ({
    deleted: await deleteTransfers(context, { ids: call.body.transferIds, by: by(call) }),
  }));

  route(app, batchExtend, async (call) => ({
    extended: await extendMany(context, {
      ids: call.body.transferIds,
      days: call.body.days,
      by: by(call),
    }),
  }));

  route(app, setTakenDownCall, (call) =>
    setTakenDown(context, { id: call.params.id, isTakenDown: call.body.isTakenDown, by: by(call) }),
  );

  route(app, listReportsCall, ({ query }) => listReports(context, query));

  route(app, settleReportCall, (call) =>
    settleReport(context, { id: call.params.id, verdict: call.body.verdict, by: by(call) }),
  );
}
