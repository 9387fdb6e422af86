import type { FastifyRequest } from 'fastify';
import type { DownloadView } from '../../../contracts/transfers/downloads.ts';
import type { Context } from '../../context.ts';
import { isAppError } from '../../platform/lib/app-error.ts';
import type { ViewLog } from '../analytics/index.ts';
import { type FilePage, isLongList, readZipSummary } from '../transfers/index.ts';
import { openTransfer, refuseClosed, viewTransfer } from './access.ts';
import { readGrant } from './cookies.ts';
import type { LongLists } from './long-lists.ts';
import { noteOpened } from './personal-links.ts';
import { CHECKING_VIEW, EXPIRED_VIEW, LOCKED_VIEW, presentOpen, presentScheduled } from './presenter.ts';
import { findDamagedFile, type Share } from './queries.ts';
import { measureZip } from './resources.ts';
import type { ZipCache } from './zip-cache.ts';

/** What views of all transfers share. */
export type Viewing = { views: ViewLog; zips: ZipCache; lists: LongLists };

type PageView = {
  token: string;
  recipientToken: string | undefined;
  /** Where the page says its visitor came from. */
  from?: string | undefined;
  /** Of a further page of files, which is not counted as a view. */
  cursor?: string | undefined;
  request: FastifyRequest;
};

/**
 * What a visitor is shown, with one page of files. It is recorded as a view, except HEAD requests and further
 * pages. Throws AppError `transfer_not_found`, `transfer_taken_down`, `transfer_blocked`, and what `LongLists.listPage` throws.
 */
export async function showTransfer(
  context: Context,
  { views, zips, lists }: Viewing,
  { token, recipientToken, from, cursor, request }: PageView,
): Promise<DownloadView> {
  const { share, standing } = await viewTransfer(context, token, { grant: readGrant(request), request });
  refuseClosed(standing);
  // Neither a view nor an opening: there is nothing to see, and the page asks again every few seconds.
  if (standing === 'checking') return CHECKING_VIEW;
  if (request.method !== 'HEAD' && cursor === undefined) {
    views.record({ transfer: share, request, from });
    await noteOpened(context, { share, request, recipientToken });
  }
  if (standing === 'expired') return EXPIRED_VIEW;
  if (standing === 'locked') return LOCKED_VIEW;
  if (standing === 'scheduled') return presentScheduled(share);
  const page = await lists.listPage(request, share, cursor);
  if (!isLongList(share) && cursor === undefined) {
    const { files } = page;
    const zipSize = files.length > 1 ? measureZip(files) : undefined;
    return presentOpen(share, { page, zipSize, hasDamagedFiles: files.some(({ isDamaged }) => isDamaged) });
  }
  const admit = () => lists.takeWholeList(request);
  const zipSize = readZipSummary(share)?.sizeBytes ?? (await planSize(context, zips, { share, admit }));
  const hasDamagedFiles = (await findDamagedFile(context.db, share.id)) !== undefined;
  return presentOpen(share, { page, zipSize, hasDamagedFiles });
}

/**
 * A page of files for a visitor who may download them. Throws AppError as `openTransfer` and
 * `LongLists.listPage` do.
 */
export async function showFiles(
  context: Context,
  lists: LongLists,
  { token, cursor, request }: Pick<PageView, 'token' | 'cursor' | 'request'>,
): Promise<FilePage> {
  const share = await openTransfer(context, token, { grant: readGrant(request), request });
  return lists.listPage(request, share, cursor);
}

/** undefined while it cannot be worked out: a view does not fail for the size of the zip. */
async function planSize(
  context: Context,
  zips: ZipCache,
  { share, admit }: { share: Share; admit: () => Promise<void> },
): Promise<number | undefined> {
  try {
    return (await zips.open(context, { share, selection: null, admit })).sizeBytes;
  } catch (error) {
    if (isAppError(error)) return undefined;
    throw error;
  }
}
