import type { FastifyRequest } from 'fastify';
import type { DownloadView } from '../../../contracts/downloads.ts';
import { tierIncludes } from '../../../contracts/tiers.ts';
import type { Context } from '../../context.ts';
import type { ViewLog } from '../analytics/views.ts';
import { toLooks } from '../previews/looks.ts';
import { refuseTakenDown, viewTransfer } from './access.ts';
import { readGrant } from './cookies.ts';
import { noteOpened } from './personal-links.ts';
import { EXPIRED_VIEW, LOCKED_VIEW, presentOpen, presentScheduled } from './presenter.ts';
import { listSharedFiles } from './queries.ts';

type PageView = {
  token: string;
  recipientToken: string | undefined;
  /** Where the page says its visitor came from. */
  from?: string | undefined;
  request: FastifyRequest;
};

/**
 * What a visitor is shown, which is noted as a view unless they only ask for the head. Throws AppError
 * `transfer_not_found`, `transfer_taken_down`.
 */
export async function showTransfer(
  context: Context,
  views: ViewLog,
  { token, recipientToken, from, request }: PageView,
): Promise<DownloadView> {
  const { share, standing } = await viewTransfer(context, token, { grant: readGrant(request) });
  refuseTakenDown(standing);
  if (request.method !== 'HEAD') {
    views.record({ transfer: share, request, from });
    await noteOpened(context, { share, request, recipientToken });
  }
  if (standing === 'expired') return EXPIRED_VIEW;
  if (standing === 'locked') return LOCKED_VIEW;
  if (standing === 'scheduled') return presentScheduled(share);
  const files = await listSharedFiles(context.db, share.id);
  const rows = tierIncludes(share.ownerTier, 'previews') ? files : [];
  const looks = await toLooks(context, share.id, { rows, whole: share.maxDownloads === null });
  return presentOpen(share, files, looks);
}
