import type { FastifyInstance } from 'fastify';
import * as contract from '../../../contracts/plans/ads.ts';
import type { Context } from '../../context.ts';
import { sendBytes } from '../../platform/http/bytes/send-bytes.ts';
import { route } from '../../platform/http/routing/route.ts';
import { getAdFileUrl, listAdsFor, openAdFile, presentShownAd, recordAdEvent } from './shown-ads.ts';

export function adRoutes(app: FastifyInstance, context: Context): void {
  route(app, contract.listActiveAds, async ({ user }) =>
    (await listAdsFor(context, user)).map(presentShownAd),
  );

  route(app, contract.getAdFileUrl, async ({ user, params }) => ({
    url: await getAdFileUrl(context, user, params.id),
  }));

  route(app, contract.recordAdEvent, ({ user, params, body }) =>
    recordAdEvent(context, user, { id: params.id, event: body.event }),
  );

  route(app, contract.showAdFile, async ({ params, request, reply }) => {
    const { source, head } = await openAdFile(context, params.signature);
    await sendBytes(request, reply, source, head);
  });
}
