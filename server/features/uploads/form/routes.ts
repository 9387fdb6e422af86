import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { uploadToInvitation } from '../../../../contracts/transfers/uploads/invitations.ts';
import type { Context } from '../../../context.ts';
import { acceptMultipart } from '../../../platform/http/bodies/form-files.ts';
import { drainBody } from '../../../platform/http/bodies/raw-body.ts';
import { addressKey } from '../../../platform/http/limits/rate-limits.ts';
import { route } from '../../../platform/http/routing/route.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { identifyVisitor, openInvitation } from '../../invitations/index.ts';
import { uploadForm } from './form-upload.ts';

export async function formUploadRoutes(app: FastifyInstance, context: Context): Promise<void> {
  const folder = join(context.config.dataDir, 'incoming');
  await app.register(async (scope) => {
    await acceptMultipart(scope, folder);

    route(scope, uploadToInvitation, async ({ params: { token }, request, reply }) => {
      try {
        const caller = await identifyVisitor(context, { request, reply }, token);
        if (!caller?.visitor) throw new AppError('visitor_not_verified');
        const { invitation, inviter } = await openInvitation(context, token);
        const { visitor } = caller;
        return await uploadForm(context, {
          uploader: { owner: inviter, visitor, address: addressKey(request) },
          invitation,
          request,
          folder,
        });
      } catch (error) {
        drainBody(request);
        throw error;
      }
    });
  });
}
