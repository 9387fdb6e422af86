import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  type Analytics,
  exportAnalytics,
  exportTransferAnalytics,
  getAnalytics,
  getTransferAnalytics,
} from '../../../contracts/analytics.ts';
import { contentDisposition } from '../../../contracts/values/names/content-disposition.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/routing/route.ts';
import { toCsv } from '../../platform/lib/csv.ts';
import { NO_COUNTS } from './report/history.ts';
import { getOverallReport, getTransferReport, type Report } from './report/report.ts';

export function analyticsRoutes(app: FastifyInstance, context: Context): void {
  route(app, getTransferAnalytics, async ({ params, query, user }) => {
    const { analytics } = await getTransferReport(context, { transferId: params.id, user, days: query.days });
    return analytics;
  });

  route(app, getAnalytics, async ({ query, user }) => {
    const { analytics } = await getOverallReport(context, { user, days: query.days });
    return analytics;
  });

  route(app, exportTransferAnalytics, async ({ params, query, user, reply }) =>
    sendCsv(reply, await getTransferReport(context, { transferId: params.id, user, days: query.days })),
  );

  route(app, exportAnalytics, async ({ query, user, reply }) =>
    sendCsv(reply, await getOverallReport(context, { user, days: query.days })),
  );
}

function sendCsv(reply: FastifyReply, { analytics: { from, to, days }, history }: Report<Analytics>) {
  const rows = days.map(({ date, views, downloads }) => {
    const { completed } = history.byDay.get(date) ?? NO_COUNTS;
    return [date, views, downloads, completed];
  });
  return reply
    .header('cache-control', 'no-store')
    .header('content-type', 'text/csv; charset=utf-8')
    .header('content-disposition', contentDisposition(`analytics ${from} to ${to}.csv`))
    .send(toCsv(['date', 'views', 'downloads', 'completed'], rows));
}
