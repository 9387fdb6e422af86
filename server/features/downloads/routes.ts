import type { FastifyInstance, FastifyRequest } from 'fastify';
import { downloadAll, downloadFile, verifyDownload, viewDownload } from '../../../contracts/downloads.ts';
import type { Context } from '../../context.ts';
import { isPrefetch } from '../../platform/http/prefetch.ts';
import { addressKey } from '../../platform/http/rate-limits.ts';
import { route } from '../../platform/http/route.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { ViewLog } from '../analytics/views.ts';
import { isUsedUp, openTransfer, viewTransfer } from './access.ts';
import { readGrant, readTicketCookie, setGrantCookie } from './cookies.ts';
import { deliver } from './deliver.ts';
import { unlockTransfer } from './password-grants.ts';
import { noteOpened } from './personal-links.ts';
import { EXPIRED_VIEW, LOCKED_VIEW, presentOpen, presentScheduled } from './presenter.ts';
import { listSharedFiles } from './queries.ts';
import { openFile, openZip } from './resources.ts';
import { RunningDownloads } from './running-downloads.ts';
import { readTicket } from './tickets.ts';
import { ZipCache } from './zip-cache.ts';

export function downloadRoutes(app: FastifyInstance, context: Context): void {
  const running = new RunningDownloads();
  const zips = new ZipCache();
  const views = new ViewLog(context);
  app.addHook('onClose', () => views.settle());

  route(app, viewDownload, async ({ params, query, request, reply }) => {
    reply.header('cache-control', 'no-store');
    const { share, standing } = await viewTransfer(context, params.token, { grant: readGrant(request) });
    views.record({ transfer: share, request });
    await noteOpened(context, { share, request, recipientToken: query.r });
    if (standing === 'expired') return EXPIRED_VIEW;
    if (standing === 'locked') return LOCKED_VIEW;
    if (standing === 'scheduled') return presentScheduled(share);
    return presentOpen(share, await listSharedFiles(context.db, share.id));
  });

  route(app, verifyDownload, async ({ params: { token }, body: { password }, request, reply }) => {
    const { share, standing } = await viewTransfer(context, token, { grant: undefined });
    if (standing === 'expired') throw new AppError('transfer_expired');
    const grant = await unlockTransfer(context, share, { password, visitorKey: addressKey(request) });
    if (grant !== undefined) setGrantCookie(context, reply, { token, grant });
  });

  route(app, downloadFile, async ({ params: { token, fileId }, query, request, reply }) => {
    const entry = await enter(context, { token, fileId, recipientToken: query.r, request });
    const file = await openFile(context, entry.visit.share, fileId);
    await deliver(context, { ...entry, ...file, reply, running });
  });

  route(app, downloadAll, async ({ params: { token }, query, request, reply }) => {
    const entry = await enter(context, { token, fileId: null, recipientToken: query.r, request });
    const zip = await openZip(context, zips, entry.visit.share);
    await deliver(context, { ...entry, ...zip, reply, running });
  });
}

type Wish = {
  token: string;
  fileId: string | null;
  recipientToken: string | undefined;
  request: FastifyRequest;
};

/** Through the gate to the bytes: for whoever holds a ticket, or while a download is left. */
async function enter(context: Context, { token, fileId, recipientToken, request }: Wish) {
  // What is fetched on the chance that somebody may want it is no download.
  if (isPrefetch(request)) throw new AppError('unavailable');
  const share = await openTransfer(context, token, { grant: readGrant(request) });
  const downloaded = { transferId: share.id, fileId };
  const countedId = readTicket(context, downloaded, readTicketCookie(request));
  if (countedId === undefined && isUsedUp(share)) throw new AppError('transfer_used_up');
  return { visit: { share, request, recipientToken }, downloaded, countedId };
}
