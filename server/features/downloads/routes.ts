import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  downloadAll,
  downloadChecksums,
  downloadFile,
  downloadSelection,
  listDownloadFiles,
  reportTransfer,
  viewDownload,
} from '../../../contracts/transfers/downloads.ts';
import type { Context } from '../../context.ts';
import { contentDisposition } from '../../platform/http/content-disposition.ts';
import { isPrefetch } from '../../platform/http/prefetch.ts';
import { addressKey } from '../../platform/http/rate-limits.ts';
import { route } from '../../platform/http/route.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { ViewLog } from '../analytics/index.ts';
import { isLongList, noteViewed } from '../transfers/index.ts';
import { isUsedUp, openTransfer, refuseClosed, viewTransfer } from './access.ts';
import { listChecksums, requireChecksums } from './checksums.ts';
import { readGrant, readTicketCookie } from './cookies.ts';
import { deliver } from './deliver.ts';
import { LongLists } from './long-lists.ts';
import { passwordRoutes } from './password-routes.ts';
import { plainPageRoutes } from './plain-routes.ts';
import type { Share } from './queries.ts';
import { keepReport } from './reports.ts';
import { openFile, openZip } from './resources.ts';
import { RunningDownloads } from './running-downloads.ts';
import { readTicket } from './tickets.ts';
import { showFiles, showTransfer, type Viewing } from './viewing.ts';
import { ZipCache } from './zip-cache.ts';

export function downloadRoutes(app: FastifyInstance, context: Context): void {
  const running = new RunningDownloads();
  const zips = new ZipCache();
  const views = new ViewLog(context, noteViewed);
  const lists = new LongLists(context);
  const viewing: Viewing = { views, zips, lists };
  app.addHook('onClose', () => views.settle());

  route(app, viewDownload, ({ params: { token }, query: { r: recipientToken, from }, request }) =>
    showTransfer(context, viewing, { token, recipientToken, from, request }),
  );

  route(app, listDownloadFiles, async ({ params: { token }, query: { cursor }, request, reply }) => {
    const { files, nextFiles } = await showFiles(context, lists, { token, cursor, request });
    if (nextFiles !== null) {
      const path = listDownloadFiles.path.replace(':token', token);
      reply.header('link', `<${path}?cursor=${nextFiles}>; rel="next"`);
    }
    return files;
  });

  passwordRoutes(app, context);
  plainPageRoutes(app, context, viewing);

  route(app, downloadFile, async ({ params: { token, fileId }, query, request, reply }) => {
    const entry = await enter(context, { token, fileId, selection: null, recipientToken: query.r, request });
    const file = await openFile(context, entry.visit.share, fileId);
    await deliver(context, { ...entry, ...file, reply, running });
  });

  route(app, downloadAll, async ({ params: { token }, query, request, reply }) => {
    const what = { fileId: null, selection: null };
    const entry = await enter(context, { ...what, token, recipientToken: query.r, request });
    const admit = () => lists.takeWholeList(request);
    const zip = await openZip(context, zips, { share: entry.visit.share, selection: null, admit });
    await deliver(context, { ...entry, ...zip, reply, running });
  });

  route(app, downloadSelection, async ({ params: { token, files: selection }, query, request, reply }) => {
    const entry = await enter(context, { token, fileId: null, selection, recipientToken: query.r, request });
    const admit = () => lists.takeWholeList(request);
    const zip = await openZip(context, zips, { share: entry.visit.share, selection, admit });
    await deliver(context, { ...entry, ...zip, reply, running });
  });

  route(app, downloadChecksums, async ({ params: { token }, request, reply }) => {
    const share = await openTransfer(context, token, { grant: readGrant(request), request });
    await requireChecksums(context, share.id);
    const plan = request.method === 'HEAD' ? undefined : await planChecksums(share, request);
    reply
      .headers({
        'content-type': 'text/plain; charset=utf-8',
        'content-disposition': contentDisposition('SHA256SUMS'),
        'content-security-policy': 'sandbox',
        'cache-control': 'private, no-cache',
      })
      .send(Readable.from(plan ? listChecksums(context, share.id, plan) : []));
  });

  async function planChecksums(share: Share, request: FastifyRequest) {
    if (isLongList(share)) await lists.takeWholeList(request);
    return zips.open(context, { share, selection: null, admit: async () => {} });
  }

  route(app, reportTransfer, async ({ params: { token }, body, request }) => {
    const { share, standing } = await viewTransfer(context, token, { grant: undefined, request });
    refuseClosed(standing);
    const reporter = { ipAddress: request.ip, addressKey: addressKey(request) };
    await keepReport(context, share, { ...body, ...reporter });
  });
}

type Wish = {
  token: string;
  fileId: string | null;
  selection: string | null;
  recipientToken: string | undefined;
  request: FastifyRequest;
};

/** Through the gate to the bytes: for whoever holds a ticket, or while a download is left. */
async function enter(context: Context, { token, fileId, selection, recipientToken, request }: Wish) {
  // What is fetched on the chance that somebody may want it is no download.
  if (isPrefetch(request)) throw new AppError('unavailable');
  const share = await openTransfer(context, token, { grant: readGrant(request), request });
  const downloaded = { transferId: share.id, fileId, selection };
  const countedId = readTicket(context, downloaded, readTicketCookie(request));
  if (countedId === undefined && isUsedUp(share)) throw new AppError('transfer_used_up');
  return { visit: { share, request, recipientToken }, downloaded, countedId };
}
