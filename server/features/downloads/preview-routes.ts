import type { FastifyInstance, FastifyRequest } from 'fastify';
import { previewFile, showThumbnail } from '../../../contracts/transfers/previews.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/route.ts';
import { sendBytes } from '../../platform/http/send-bytes.ts';
import { openPreview, openThumbnail } from '../previews/index.ts';
import { openTransfer } from './access.ts';
import { readGrant } from './cookies.ts';
import { requireScannedFile } from './resources.ts';

/** What recipients look at without downloading it: through the gate like any bytes, and never counted. */
export function downloadPreviewRoutes(app: FastifyInstance, context: Context): void {
  route(app, showThumbnail, async ({ params: { token, fileId }, request, reply }) => {
    const share = await openShare(token, request);
    await requireScannedFile(context, fileId);
    const { source, head } = await openThumbnail(context, { transferId: share.id, fileId });
    await sendBytes(request, reply, source, head);
  });

  route(app, previewFile, async ({ params: { token, fileId }, request, reply }) => {
    const share = await openShare(token, request);
    await requireScannedFile(context, fileId);
    // A limit would be worth nothing if the same could be had without being counted.
    const whole = share.maxDownloads === null;
    const { source, head } = await openPreview(context, { transferId: share.id, fileId, whole });
    await sendBytes(request, reply, source, head);
  });

  function openShare(token: string, request: FastifyRequest) {
    return openTransfer(context, token, { grant: readGrant(request), request });
  }
}
