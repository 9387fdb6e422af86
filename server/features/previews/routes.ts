import type { FastifyInstance } from 'fastify';
import { previewOwnFile, showOwnThumbnail } from '../../../contracts/transfers/previews.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/route.ts';
import { sendBytes } from '../../platform/http/send-bytes.ts';
import { requireFeature } from '../tiers/index.ts';
import { openPreview, openThumbnail } from './serving.ts';

/** The owner's own look, also while the transfer is locked, scheduled or expired, and whatever its limit. */
export function previewRoutes(app: FastifyInstance, context: Context): void {
  route(app, showOwnThumbnail, async ({ params: { id, fileId }, user, request, reply }) => {
    requireFeature(user.tier, 'previews');
    const wish = { transferId: id, fileId, ownerId: user.id };
    const { source, head } = await openThumbnail(context, wish);
    await sendBytes(request, reply, source, head);
  });

  route(app, previewOwnFile, async ({ params: { id, fileId }, user, request, reply }) => {
    requireFeature(user.tier, 'previews');
    const wish = { transferId: id, fileId, ownerId: user.id, whole: true };
    const { source, head } = await openPreview(context, wish);
    await sendBytes(request, reply, source, head);
  });
}
