import type { FastifyInstance } from 'fastify';
import {
  countOwnPdfPages,
  previewOwnFile,
  showOwnPdfPage,
  showOwnThumbnail,
} from '../../../contracts/transfers/downloads/previews.ts';
import type { Context } from '../../context.ts';
import { sendBytes } from '../../platform/http/bytes/send-bytes.ts';
import { route } from '../../platform/http/routing/route.ts';
import { requireFeature } from '../tiers/index.ts';
import { countPages, openPage } from './pdf-pages.ts';
import { openPreview, openThumbnail } from './previews.ts';

export function previewRoutes(app: FastifyInstance, context: Context): void {
  route(app, showOwnThumbnail, async ({ params: { id, fileId }, user, request, reply }) => {
    requireFeature(user.tier, 'previews');
    const target = { transferId: id, fileId, ownerId: user.id };
    const { source, head } = await openThumbnail(context, target);
    await sendBytes(request, reply, source, head);
  });

  route(app, previewOwnFile, async ({ params: { id, fileId }, user, request, reply }) => {
    requireFeature(user.tier, 'previews');
    const target = { transferId: id, fileId, ownerId: user.id, whole: true };
    const { source, head } = await openPreview(context, target);
    await sendBytes(request, reply, source, head);
  });

  route(app, countOwnPdfPages, async ({ params: { id, fileId }, user, request }) => {
    requireFeature(user.tier, 'previews');
    const target = { transferId: id, fileId, ownerId: user.id };
    return { pageCount: await countPages(context, target, request) };
  });

  route(app, showOwnPdfPage, async ({ params: { id, fileId, page }, user, request, reply }) => {
    requireFeature(user.tier, 'previews');
    const target = { transferId: id, fileId, ownerId: user.id, page: Number(page) };
    const { source, head } = await openPage(context, target, request);
    await sendBytes(request, reply, source, head);
  });
}
