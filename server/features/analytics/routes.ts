import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  type Analytics,
  exportAnalytics,
  exportTransferAnalytics,
  getAnalytics,
  getTransferAnalytics,
} from '../../../contracts/analytics.ts';
import type { Context } from '../../context.ts';
import { contentDisposition } from '../../platform/http/content-disposition.ts';
import { route } from '../../platform/http/route.ts';
import { toCsv } from './csv.ts';
import { NONE } from './history.ts';
import { type Report, reportOnAll, reportOnTransfer } from './report.ts';

export function analyticsRoutes(app: FastifyInstance, context: Context): void {
  route(app, getTransferAnalytics, async ({ params, query, user }) => {
    const { told } = await reportOnTransfer(context, { transferId: params.id, user, days: query.days });
    return told;
  });

  route(app, getAnalytics, async ({ query, user }) => {
    const { told } = await reportOnAll(context, { user, days: query.days });
    return told;
  });

  route(app, exportTransferAnalytics, async ({ params, query, user, reply }) =>
    sendCsv(reply, await reportOnTransfer(context, { transferId: params.id, user, days: query.days })),
  );

  route(app, exportAnalytics, async ({ query, user, reply }) =>
    sendCsv(reply, await reportOnAll(context, { user, days: query.days })),
  );
}

function sendCsv(reply: FastifyReply, { told: { from, to, days }, history }: Report<Analytics>) {
  const rows = days.map(({ date, views, downloads }) => {
    const { completed } = history.byDay.get(date) ?? NONE;
    return [date, views, downloads, completed];
  });
  return reply
    .header('cache-control', 'no-store')
    .header('content-type', 'text/csv; charset=utf-8')
    .header('content-disposition', contentDisposition(`analytics ${from} to ${to}.csv`))
    .send(toCsv(['date', 'views', 'downloads', 'completed'], rows));
}
