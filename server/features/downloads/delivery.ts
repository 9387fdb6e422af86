import type { FastifyReply } from 'fastify';
import type { Context } from '../../context.ts';
import { isOwnVisit } from '../analytics/index.ts';
import { claimDownload, resumeDownload } from './claims.ts';
import { setTicketCookie } from './cookies.ts';
import { findVisitingRecipient, type PersonalVisit } from './personal-links.ts';
import type { Share } from './queries.ts';
import type { DownloadResource } from './resources.ts';
import type { RunningDownloads } from './running-downloads.ts';
import { type Downloaded, issueTicket } from './tickets.ts';

const USER_AGENT_MAX = 512;

export type Delivery = DownloadResource & {
  downloaded: Downloaded;
  /** The counted download that this request goes on with, if it proved one. */
  countedId: string | undefined;
  visit: PersonalVisit & { share: Share };
  reply: FastifyReply;
  running: RunningDownloads;
};

/** The counted download that goes on here; one whose place was given back has to be counted anew. */
export async function findResumed(context: Context, { countedId }: Delivery): Promise<string | undefined> {
  return countedId !== undefined && (await resumeDownload(context, countedId)) ? countedId : undefined;
}

/** Counts a new download, and gives its ticket along. Throws AppError `transfer_used_up`. */
export async function claimAndTell(context: Context, delivery: Delivery): Promise<string> {
  const { visit, reply, downloaded, source } = delivery;
  const { request } = visit;
  const downloadId = await claimDownload(context, downloaded, {
    sizeBytes: source.sizeBytes,
    ipAddress: request.ip || null,
    userAgent: request.headers['user-agent']?.slice(0, USER_AGENT_MAX) ?? null,
    recipientId: await findVisitingRecipient(context, visit),
    isOwn: await isOwnVisit(request, visit.share.userId),
  });
  setTicketCookie(context, { request, reply }, issueTicket(context, downloaded, downloadId));
  return downloadId;
}
