import type { FastifyInstance } from 'fastify';
import { previewOwnFile, showOwnThumbnail } from '../../../contracts/transfers/previews.ts';
import type { Context } from '../../context.ts';
import { sendBytes } from '../../platform/http/bytes/send-bytes.ts';
import { route } from '../../platform/http/routing/route.ts';
import { requireFeature } from '../tiers/index.ts';
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
}
