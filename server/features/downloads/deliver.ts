import type { FastifyReply } from 'fastify';
import type { Context } from '../../context.ts';
import { resolveRange } from '../../platform/http/range.ts';
import { sendBytes } from '../../platform/http/send-bytes.ts';
import { isOwnVisit } from '../analytics/own-visit.ts';
import { claimDownload, completeDownload, noteReached, resumeDownload } from './claims.ts';
import { setTicketCookie } from './cookies.ts';
import { giveBackDownload } from './giving-back.ts';
import { findVisitingRecipient, type PersonalVisit } from './personal-links.ts';
import { Reach } from './reach.ts';
import type { DownloadResource } from './resources.ts';
import type { RunningDownloads } from './running-downloads.ts';
import { type Downloaded, issueTicket } from './tickets.ts';

const USER_AGENT_MAX = 512;

type Delivery = DownloadResource & {
  downloaded: Downloaded;
  /** The counted download that this request goes on with, if it proved one. */
  countedId: string | undefined;
  visit: PersonalVisit;
  reply: FastifyReply;
  running: RunningDownloads;
};

/**
 * Sends a file or a zip and counts it, both by the same rule: a GET that is answered with bytes from the
 * first one on is a new download; one that begins later is free with a ticket and a new download without.
 * HEAD, 304, 412 and 416 never count. Throws AppError `transfer_used_up` and what `sendBytes` throws.
 */
export async function deliver(context: Context, delivery: Delivery): Promise<void> {
  const { visit, reply, source, head, downloaded, running } = delivery;
  const { request } = visit;
  const resolved = resolveRange(request.headers, { ...head, sizeBytes: source.sizeBytes }, request.method);
  const sendsBytes = request.method === 'GET' && (resolved.status === 200 || resolved.status === 206);
  if (!sendsBytes) return sendBytes(request, reply, source, head, { resolved });

  const resumedId = resolved.start > 0 ? await findResumed(context, delivery) : undefined;
  const downloadId = resumedId ?? (await claimAndTell(context, delivery));
  const reach = new Reach(context, downloadId);
  running.begin(downloadId);
  try {
    await sendBytes(request, reply, source, head, {
      resolved,
      onProgress: (sentBytes) => reach.move(resolved.start + sentBytes),
      onEnd: async ({ complete, start, end, sentBytes }) => {
        const reachedEnd = complete && end === source.sizeBytes;
        if (running.end(downloadId, { reachedEnd })) await completeDownload(context, downloadId);
        else await noteReached(context, downloadId, start + sentBytes);
      },
    });
  } catch (error) {
    reply.removeHeader('set-cookie');
    const { transferId } = downloaded;
    if (resumedId === undefined) await giveBackDownload(context, { id: downloadId, transferId });
    throw error;
  }
}

/** The counted download that goes on here; one whose place was given back has to be counted anew. */
async function findResumed(context: Context, { countedId }: Delivery): Promise<string | undefined> {
  return countedId !== undefined && (await resumeDownload(context, countedId)) ? countedId : undefined;
}

async function claimAndTell(context: Context, delivery: Delivery): Promise<string> {
  const { visit, reply, downloaded, source } = delivery;
  const { request } = visit;
  const downloadId = await claimDownload(context, downloaded, {
    sizeBytes: source.sizeBytes,
    ipAddress: request.ip,
    userAgent: request.headers['user-agent']?.slice(0, USER_AGENT_MAX) ?? null,
    recipientId: await findVisitingRecipient(context, visit),
    isOwn: await isOwnVisit(request, visit.share.userId),
  });
  setTicketCookie(context, { request, reply }, issueTicket(context, downloaded, downloadId));
  return downloadId;
}
