import type { FastifyInstance } from 'fastify';
import { getDownloadBackgroundUrl } from '../../../contracts/accounts/backgrounds.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/route.ts';
import { findBackgroundUrl } from '../backgrounds/index.ts';
import { viewTransfer } from './access.ts';
import { readGrant } from './cookies.ts';

/** The background belongs to the page, not to the content: it shows before the password and the scheduled time, too. */
export function downloadBackgroundRoutes(app: FastifyInstance, context: Context): void {
  route(app, getDownloadBackgroundUrl, async ({ params: { token }, request }) => {
    const { share, standing } = await viewTransfer(context, token, { grant: readGrant(request), request });
    const isOver = standing === 'expired' || standing === 'taken-down' || standing === 'blocked';
    return { url: isOver ? null : await findBackgroundUrl(context, share.userId) };
  });
}
