import type { FastifyRequest } from 'fastify';
import { type DownloadView, viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import type { Context } from '../../../context.ts';
import { PresentedAnswer } from '../../../platform/http/routing/presented-answer.ts';
import { isAppError } from '../../../platform/lib/app-error.ts';
import { toIso, toIsoOrNull } from '../../../platform/lib/clock.ts';
import type { ViewLog } from '../../analytics/index.ts';
import {
  type FilePage,
  isLongList,
  presentProtection,
  readArrival,
  readZipSummary,
} from '../../transfers/index.ts';
import { openTransfer, requireNotBlocked, viewTransfer } from '../access/access.ts';
import { readGrant } from '../access/cookies.ts';
import { recordOpening } from '../access/personal-links.ts';
import { measureZip } from '../delivery/resources.ts';
import type { ZipCache } from '../delivery/zip-cache.ts';
import { findDamagedFile, type Share } from '../queries.ts';
import type { LongLists } from './long-lists.ts';
import type { ViewCache } from './view-cache.ts';

export type ViewParts = { views: ViewLog; zips: ZipCache; lists: LongLists; cache: ViewCache };

type PageView = {
  token: string;
  recipientToken: string | undefined;
  from?: string | undefined;
  /** Files of the first page at most. */
  firstFiles?: number | undefined;
  /** Only the first page of files counts as a view. */
  cursor?: string | undefined;
  request: FastifyRequest;
};

/**
 * The view of `getDownloadView` for the API. Callers without cookies see the same view, so they share it while
 * nothing has changed.
 */
export async function answerDownloadView(context: Context, parts: ViewParts, visit: PageView) {
  const { cache } = parts;
  const state = visit.request.headers.cookie === undefined ? cache.readState() : undefined;
  const key = visit.firstFiles === undefined ? visit.token : `${visit.token} ${visit.firstFiles}`;
  const kept = state && cache.find(key, state);
  if (kept) {
    if (kept.isVisit) await recordVisit(context, parts, kept.share, visit);
    return kept.answer;
  }
  const { share, isVisit, view } = await showTransfer(context, parts, visit);
  const answer = PresentedAnswer.of(viewDownload, view);
  // Pages of long lists are limited per address.
  // What has arrived changes without a write to the database.
  if (state && !isLongList(share) && share.status === 'ready')
    cache.keep(key, state, { share, isVisit, answer });
  return answer;
}

/**
 * Recorded as a view, except for HEAD requests and further pages of files. Throws AppError `transfer_not_found`,
 * `transfer_taken_down`, `transfer_blocked`, and what `LongLists.listPage` throws.
 */
export async function getDownloadView(
  context: Context,
  parts: ViewParts,
  visit: PageView,
): Promise<DownloadView> {
  return (await showTransfer(context, parts, visit)).view;
}

type Shown = { share: Share; isVisit: boolean; view: DownloadView };

async function showTransfer(context: Context, parts: ViewParts, visit: PageView): Promise<Shown> {
  const { token, request } = visit;
  const { share, availability } = await viewTransfer(context, token, { grant: readGrant(request), request });
  requireNotBlocked(availability);
  // Not recorded as a view: there is nothing to see yet, and the page polls every few seconds.
  if (availability === 'checking') return { share, isVisit: false, view: CHECKING_VIEW };
  await recordVisit(context, parts, share, visit);
  const shown = { share, isVisit: true };
  if (availability === 'stopped') return { ...shown, view: { isStopped: true } };
  if (availability === 'expired') return { ...shown, view: { isExpired: true, ...presentDeletion(share) } };
  if (availability === 'locked') return { ...shown, view: { ...presentLock(share), unlocked: false } };
  if (availability === 'scheduled') return { ...shown, view: presentScheduled(share) };
  return { ...shown, view: await presentContents(context, parts, share, visit) };
}

async function recordVisit(
  context: Context,
  { views }: ViewParts,
  share: Pick<Share, 'id' | 'userId'>,
  { request, cursor, from, recipientToken }: PageView,
): Promise<void> {
  if (request.method === 'HEAD' || cursor !== undefined) return;
  views.record({ transfer: share, request, from });
  await recordOpening(context, { share, request, recipientToken });
}

async function presentContents(
  context: Context,
  { zips, lists }: ViewParts,
  share: Share,
  { request, cursor, firstFiles }: PageView,
): Promise<DownloadView> {
  const page = await lists.listPage(request, share, { cursor, limit: firstFiles });
  if (share.status === 'arriving') return presentArriving(context, share, page);
  if (cursor === undefined && page.nextFiles === null) {
    const { files } = page;
    const zipSize = files.length > 1 ? measureZip(files) : undefined;
    return presentOpen(share, { page, zipSize, hasDamagedFiles: files.some(({ isDamaged }) => isDamaged) });
  }
  const admit = async () => (isLongList(share) ? lists.claimWholeList(request) : undefined);
  const zipSize = readZipSummary(share)?.sizeBytes ?? (await planSize(context, zips, { share, admit }));
  const hasDamagedFiles = (await findDamagedFile(context.db, share.id)) !== undefined;
  return presentOpen(share, { page, zipSize, hasDamagedFiles });
}

export async function listFiles(
  context: Context,
  lists: LongLists,
  { token, cursor, request }: Pick<PageView, 'token' | 'cursor' | 'request'>,
): Promise<FilePage> {
  const share = await openTransfer(context, token, { grant: readGrant(request), request });
  return lists.listPage(request, share, { cursor });
}

async function presentArriving(context: Context, share: Share, page: FilePage): Promise<DownloadView> {
  const { progress: arrival } = await readArrival(context, share.id);
  // Names and sizes are known, and so is the zip.
  const zipSize = page.nextFiles === null && page.files.length > 1 ? measureZip(page.files) : undefined;
  return {
    ...presentOpen(share, { page, zipSize, hasDamagedFiles: false }),
    arrival,
    offersArrivalNotice: !context.mailer.keepsMails,
  };
}

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

const CHECKING_VIEW: DownloadView = { isChecking: true };

/** Hides the message and the file names until the scheduled time. */
function presentScheduled(share: Share): DownloadView {
  return { ...presentFacts(share), availableAt: toIso(share.scheduledAvailableAt!) };
}

type Contents = {
  page: FilePage;
  zipSize: number | undefined;
  hasDamagedFiles: boolean;
};

function presentOpen(share: Share, { page, zipSize, hasDamagedFiles }: Contents): DownloadView {
  return {
    ...presentFacts(share),
    senderName: share.ownerName,
    firstFileName: share.firstFileName,
    message: share.message,
    ...(zipSize !== undefined && { zipSize }),
    hasDamagedFiles,
    ...page,
  };
}

function presentFacts(share: Share): DownloadView {
  return {
    ...presentLock(share),
    unlocked: true,
    isExpired: false,
    title: share.title,
    createdAt: toIso(share.createdAt),
    expiresAt: toIsoOrNull(share.expiresAt),
    scheduledAvailableAt: toIsoOrNull(share.scheduledAvailableAt),
    downloadCount: share.downloadCount,
    maxDownloads: share.maxDownloads,
    fileCount: share.fileCount,
    totalSize: share.totalBytes,
    version: share.version,
    ...presentDeletion(share),
  };
}

function presentLock(share: Share): DownloadView {
  const { isPasswordProtected, encryption } = presentProtection(share);
  return { isPasswordProtected, ...(encryption && { encryption }) };
}

function presentDeletion({ closedAt }: Share): DownloadView {
  return closedAt === null ? {} : { isDeleting: true };
}
