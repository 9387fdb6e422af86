import { join } from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as contract from '../../../contracts/accounts/backgrounds.ts';
import { HOUR_MS } from '../../../contracts/values/durations.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import type { Context } from '../../context.ts';
import { acceptMultipart, type ReceivedFile, receiveFile } from '../../platform/http/bodies/form-files.ts';
import { sendBytes } from '../../platform/http/bytes/send-bytes.ts';
import { requireWithinLimit } from '../../platform/http/limits/rate-limits.ts';
import { route } from '../../platform/http/routing/route.ts';
import { AppError } from '../../platform/lib/app-error.ts';
import { requireFeature } from '../tiers/index.ts';
import { findBackgroundUrl, openBackground } from './background-urls.ts';
import { removeBackground, setBackground } from './backgrounds.ts';

const UPLOADS_PER_HOUR = 60;

export function backgroundRoutes(app: FastifyInstance, context: Context): void {
  const folder = join(context.config.dataDir, 'incoming');
  app.register(async (scope) => {
    await acceptMultipart(scope, folder);

    route(scope, contract.setBackground, async ({ user, request }) => {
      requireFeature(user.tier, 'background');
      await requireWithinLimit(context, {
        key: `background:${user.id}`,
        limit: UPLOADS_PER_HOUR,
        windowMs: HOUR_MS,
      });
      const picture = await receivePicture(request, folder);
      try {
        await setBackground(context, user, picture);
      } finally {
        await picture.drop();
      }
      return { url: await findBackgroundUrl(context, user.id) };
    });
  });

  route(app, contract.getBackgroundUrl, async ({ user }) => ({
    url: await findBackgroundUrl(context, user.id),
  }));

  route(app, contract.removeBackground, ({ user }) => removeBackground(context, user.id));

  route(app, contract.showBackground, async ({ params, query, request, reply }) => {
    const { source, head } = await openBackground(context, params.signature, query.size ?? 'large');
    await sendBytes(request, reply, source, head);
  });
}

async function receivePicture(request: FastifyRequest, folder: string): Promise<ReceivedFile> {
  const maxBytes = contract.BACKGROUND_MAX_BYTES;
  const tooLarge = () => new AppError('image_too_large', { details: { size: formatSize(maxBytes) } });
  const file = await receiveFile(request, { field: 'background', maxBytes, tooLarge, folder });
  if (!file) throw new AppError('invalid_image');
  return file;
}
