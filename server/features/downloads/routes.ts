import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { getDownloadBackgroundUrl } from '../../../contracts/accounts/backgrounds.ts';
import {
  askToReopen as askToReopenEndpoint,
  downloadAll,
  downloadChecksums,
  downloadFile,
  downloadSelection,
  getManifest,
  getPictures,
  listDownloadFiles,
  reportTransfer,
  viewDownload,
} from '../../../contracts/transfers/downloads/downloads.ts';
import {
  countPdfPages,
  previewFile,
  showPdfPage,
  showThumbnail,
} from '../../../contracts/transfers/downloads/previews.ts';
import {
  downloadVersion,
  listDownloadVersions,
  listVersionFiles,
} from '../../../contracts/transfers/versions.ts';
import { contentDisposition } from '../../../contracts/values/names/content-disposition.ts';
import type { Context } from '../../context.ts';
import { sendBytes } from '../../platform/http/bytes/send-bytes.ts';
import { addressKey } from '../../platform/http/limits/rate-limits.ts';
import { isPrefetch } from '../../platform/http/pages/automated-requests.ts';
import { route } from '../../platform/http/routing/route.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { ViewLog } from '../analytics/index.ts';
import { findBackgroundUrl } from '../backgrounds/index.ts';
import { countPages, openPage, openPreview, openThumbnail } from '../previews/index.ts';
import {
  isLongList,
  listVersionsOf,
  recordViewEvent,
  requireVersion,
  sendSealedDocument,
} from '../transfers/index.ts';
import { isUsedUp, openTransfer, requireNotBlocked, viewTransfer } from './access/access.ts';
import { readGrant, readTicket, readTicketCookie } from './access/cookies.ts';
import { passwordRoutes } from './access/password-routes.ts';
import { arrivalRoutes } from './arrival/arrival.ts';
import { deliver, RunningDownloads } from './delivery/delivery.ts';
import {
  listChecksums,
  openFile,
  openZip,
  requireChecksums,
  requireScannedFile,
} from './delivery/resources.ts';
import { ZipCache } from './delivery/zip-cache.ts';
import { cardRoutes } from './link-card/card-routes.ts';
import { answerDownloadView, listFiles, type ViewParts } from './page/download-view.ts';
import { LongLists } from './page/long-lists.ts';
import { plainPageRoutes } from './page/plain-page.ts';
import { ViewCache } from './page/view-cache.ts';
import type { Share } from './queries.ts';
import { askToReopen } from './requests/reopen-requests.ts';
import { createReport } from './requests/reports.ts';
import { selectVersion } from './version-downloads.ts';

export function downloadRoutes(app: FastifyInstance, context: Context): void {
  pageAndByteRoutes(app, context);
  previewRoutes(app, context);
  backgroundRoutes(app, context);
}

function pageAndByteRoutes(app: FastifyInstance, context: Context): void {
  const running = new RunningDownloads();
  const zips = new ZipCache();
  const views = new ViewLog(context, recordViewEvent);
  const lists = new LongLists(context);
  const viewParts: ViewParts = { views, zips, lists, cache: new ViewCache(context) };
  app.addHook('onClose', () => views.settle());

  route(app, viewDownload, ({ params: { token }, query: { r: recipientToken, ...query }, request }) =>
    answerDownloadView(context, viewParts, { token, recipientToken, ...query, request }),
  );

  route(app, listDownloadFiles, async ({ params: { token }, query: { cursor }, request }) => {
    const { files, nextFiles } = await listFiles(context, lists, { token, cursor, request });
    return { items: files, nextCursor: nextFiles ?? undefined };
  });

  for (const [call, kind] of [
    [getManifest, 'manifest'],
    [getPictures, 'pictures'],
  ] as const)
    route(app, call, async ({ params: { token }, request, reply }) => {
      const share = await openTransfer(context, token, { grant: readGrant(request), request });
      await sendSealedDocument(context, { transferId: share.id, kind }, { request, reply });
    });

  arrivalRoutes(app, context, running);
  passwordRoutes(app, context);
  plainPageRoutes(app, context, viewParts);
  cardRoutes(app, context);

  route(app, downloadFile, async ({ params: { token, fileId }, query, request, reply }) => {
    const opened = await openDownload(context, {
      token,
      fileId,
      selection: null,
      recipientToken: query.r,
      request,
    });
    const file = await openFile(context, opened.visit.share, fileId);
    await deliver(context, { ...opened, ...file, reply, running });
  });

  route(app, downloadAll, async ({ params: { token }, query, request, reply }) => {
    const opened = await openDownload(context, {
      fileId: null,
      selection: null,
      token,
      recipientToken: query.r,
      request,
    });
    const admit = () => lists.claimWholeList(request);
    const zip = await openZip(context, zips, {
      share: opened.visit.share,
      selection: null,
      isBag: query.format === 'bag',
      admit,
    });
    await deliver(context, { ...opened, ...zip, reply, running });
  });

  route(app, downloadSelection, async ({ params: { token, files: selection }, query, request, reply }) => {
    const opened = await openDownload(context, {
      token,
      fileId: null,
      selection,
      recipientToken: query.r,
      request,
    });
    const admit = () => lists.claimWholeList(request);
    const zip = await openZip(context, zips, {
      share: opened.visit.share,
      selection,
      isBag: query.format === 'bag',
      admit,
    });
    await deliver(context, { ...opened, ...zip, reply, running });
  });

  route(app, listDownloadVersions, async ({ params: { token }, request }) => {
    const share = await openTransfer(context, token, { grant: readGrant(request), request });
    return listVersionsOf(context, share);
  });

  route(app, listVersionFiles, async ({ params, query: { cursor }, request }) => {
    const share = await openTransfer(context, params.token, { grant: readGrant(request), request });
    const version = requireVersion(share, params.version);
    const page = await lists.listVersionPage(request, { transferId: share.id, version }, cursor);
    return { items: page.files, nextCursor: page.nextCursor };
  });

  route(app, downloadVersion, async ({ params, query, request, reply }) => {
    const { token } = params;
    const share = await openTransfer(context, token, { grant: readGrant(request), request });
    const selection = selectVersion(requireVersion(share, params.version));
    const opened = await openDownload(context, {
      token,
      fileId: null,
      selection,
      recipientToken: query.r,
      request,
    });
    const admit = () => lists.claimWholeList(request);
    const zip = await openZip(context, zips, { share: opened.visit.share, selection, isBag: false, admit });
    await deliver(context, { ...opened, ...zip, reply, running });
  });

  route(app, downloadChecksums, async ({ params: { token }, request, reply }) => {
    const share = await openTransfer(context, token, { grant: readGrant(request), request });
    // They would be those of the ciphertext.
    if (share.encryption !== null) throw new AppError('not_found');
    if (share.status === 'arriving') throw new AppError('checksums_pending', { retryAfterSeconds: 60 });
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
    if (isLongList(share)) await lists.claimWholeList(request);
    return zips.open(context, { share, selection: null, admit: async () => {} });
  }

  route(app, askToReopenEndpoint, ({ params: { token }, body: { note }, request }) =>
    askToReopen(context, { token, note, request }),
  );

  route(app, reportTransfer, async ({ params: { token }, body, request }) => {
    const { share, availability } = await viewTransfer(context, token, { grant: undefined, request });
    requireNotBlocked(availability);
    const reporter = { ipAddress: request.ip, addressKey: addressKey(request) };
    await createReport(context, share, { ...body, ...reporter });
  });
}

type DownloadTarget = {
  token: string;
  fileId: string | null;
  selection: string | null;
  recipientToken: string | undefined;
  request: FastifyRequest;
};

async function openDownload(
  context: Context,
  { token, fileId, selection, recipientToken, request }: DownloadTarget,
) {
  // A speculative prefetch must not count as a download.
  if (isPrefetch(request)) throw new AppError('unavailable');
  const share = await openTransfer(context, token, { grant: readGrant(request), request });
  const downloaded = { transferId: share.id, fileId, selection };
  const countedId = readTicket(context, downloaded, readTicketCookie(request));
  if (countedId === undefined && isUsedUp(share)) throw new AppError('transfer_used_up');
  return { visit: { share, request, recipientToken }, downloaded, countedId };
}

/** Previews pass the same gate as downloads and are never counted. */
function previewRoutes(app: FastifyInstance, context: Context): void {
  route(app, showThumbnail, async ({ params: { token, fileId }, request, reply }) => {
    const share = await openShare(token, request);
    await requireScannedFile(context, fileId);
    const { source, head } = await openThumbnail(context, { transferId: share.id, fileId });
    await sendBytes(request, reply, source, head);
  });

  route(app, previewFile, async ({ params: { token, fileId }, request, reply }) => {
    const share = await openShare(token, request);
    await requireScannedFile(context, fileId);
    // With a download limit, a preview must not give away the whole file uncounted.
    const whole = share.maxDownloads === null;
    const { source, head } = await openPreview(context, { transferId: share.id, fileId, whole });
    await sendBytes(request, reply, source, head);
  });

  route(app, countPdfPages, async ({ params: { token, fileId }, request }) => {
    const share = await openShare(token, request);
    await requireScannedFile(context, fileId);
    if (share.maxDownloads !== null) return { pageCount: null };
    return { pageCount: await countPages(context, { transferId: share.id, fileId }, request) };
  });

  route(app, showPdfPage, async ({ params: { token, fileId, page }, request, reply }) => {
    const share = await openShare(token, request);
    await requireScannedFile(context, fileId);
    // All pages are the whole file.
    if (share.maxDownloads !== null) throw new AppError('no_preview');
    const target = { transferId: share.id, fileId, page: Number(page) };
    const { source, head } = await openPage(context, target, request);
    await sendBytes(request, reply, source, head);
  });

  function openShare(token: string, request: FastifyRequest) {
    return openTransfer(context, token, { grant: readGrant(request), request });
  }
}

/** The background belongs to the page, so it also shows before the password and the scheduled time. */
function backgroundRoutes(app: FastifyInstance, context: Context): void {
  route(app, getDownloadBackgroundUrl, async ({ params: { token }, request }) => {
    const { share, availability } = await viewTransfer(context, token, {
      grant: readGrant(request),
      request,
    });
    const isOver = availability === 'expired' || availability === 'taken-down' || availability === 'blocked';
    return { url: isOver ? null : await findBackgroundUrl(context, share.userId) };
  });
}
