import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply } from 'fastify';
import { RESUMES_HEADER } from '../../../../contracts/transfers/arrival.ts';
import { MINUTE_MS } from '../../../../contracts/values/durations.ts';
import { contentDisposition } from '../../../../contracts/values/names/content-disposition.ts';
import { KIB } from '../../../../contracts/values/sizes.ts';
import type { Context } from '../../../context.ts';
import { parseRange, resolveRange } from '../../../platform/http/bytes/range.ts';
import type { SendProgress } from '../../../platform/http/bytes/send-blocks.ts';
import { type BytesHead, sendBytes } from '../../../platform/http/bytes/send-bytes.ts';
import { randomId } from '../../../platform/lib/tokens.ts';
import { isOwnVisit } from '../../analytics/index.ts';
import { type DownloadContent, issueTicket, setTicketCookie } from '../access/cookies.ts';
import { findVisitingRecipient, type PersonalVisit } from '../access/personal-links.ts';
import { isDelivered } from '../claims/claim-queries.ts';
import {
  claimDownload,
  completeDownload,
  type DownloadProgress,
  recordProgress,
  resumeDownload,
} from '../claims/claims.ts';
import { releaseFailedDownload } from '../claims/returned-places.ts';
import type { Share } from '../queries.ts';
import type { DownloadResource } from './resources.ts';

const USER_AGENT_MAX = 512;

/** A download that has delivered more keeps its place. */
const RETURNABLE_BYTES = 64 * KIB;

type Delivery = DownloadResource & {
  downloaded: DownloadContent;
  countedId: string | undefined;
  visit: PersonalVisit & { share: Share };
  reply: FastifyReply;
  running: RunningDownloads;
};

/**
 * Sends a file or a zip and counts it, both by the same rule: a GET answered from the first byte is a new download; a
 * GET that starts later is free with a ticket and a new download without one. HEAD, 304, 412 and 416 never count.
 * Throws AppError `transfer_used_up`, and what `sendBytes` and the resource's `prepare` throw.
 */
export async function deliver(context: Context, delivery: Delivery): Promise<void> {
  const { visit, reply, source, head, downloaded, running, prepare } = delivery;
  const { request } = visit;
  if (await redirectToBucket(context, delivery)) return;
  const resolved = resolveRange(request.headers, { ...head, sizeBytes: source.sizeBytes }, request.method);
  const sendsBytes = request.method === 'GET' && (resolved.status === 200 || resolved.status === 206);
  if (!sendsBytes) return sendBytes(request, reply, source, head, { resolved });

  const { firstFileEnd } = await prepare();
  const resumedId = resolved.start > 0 ? await findResumed(context, delivery) : undefined;
  const downloadId = resumedId ?? (await claimWithTicket(context, delivery));
  const isLimited = visit.share.maxDownloads !== null;
  const progress = new ProgressRecorder(context, {
    downloadId,
    start: resolved.start,
    firstFileEnd,
    isLimited,
  });
  try {
    const active = await startRequest(context, running, { downloadId, start: resolved.start });
    await sendBytes(request, reply, source, head, {
      resolved,
      canResume: canResume(request.headers),
      onProgress: (sent) => {
        active.sentBytes = sent.sentBytes;
        progress.update(sent);
      },
      onEnd: (sent) =>
        active.end({
          ...progress.describe(sent),
          reachedEnd: sent.complete && sent.end === source.sizeBytes,
        }),
    });
  } catch (error) {
    reply.removeHeader('set-cookie');
    const { transferId } = downloaded;
    if (resumedId === undefined) await releaseFailedDownload(context, { id: downloadId, transferId });
    throw error;
  }
}

/** Either the client has resumed already, or it is one of ours and says so. */
function canResume(headers: IncomingHttpHeaders): boolean {
  return headers.range !== undefined || headers[RESUMES_HEADER] === '1';
}

/** Returns undefined if the place was returned; the download must then be counted again. */
async function findResumed(context: Context, { countedId }: Delivery): Promise<string | undefined> {
  return countedId !== undefined && (await resumeDownload(context, countedId)) ? countedId : undefined;
}

async function claimWithTicket(context: Context, delivery: Delivery): Promise<string> {
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

/**
 * Redirects the download of a single file to the bucket, counted by the same rule. Returns false if the server must
 * send it. The server doesn't see what the bucket sends, so the download counts as complete once the address is given
 * out and its place is never returned. Auto-delete transfers are therefore never redirected: the server couldn't know
 * when their last download ends. Throws AppError `transfer_used_up`.
 */
async function redirectToBucket(context: Context, delivery: Delivery): Promise<boolean> {
  const { direct } = context.blobs;
  const { stored, head, visit, reply } = delivery;
  const { request, share } = visit;
  if (!direct?.isOpen || !stored || request.method !== 'GET') return false;
  if (share.autoDeleteAfterDownloads === 1 || !canBucketAnswer(request.headers, head)) return false;
  const range = parseRange(request.headers.range ?? '', stored.sizeBytes);
  if (range === 'unsatisfiable' || stored.sizeBytes === 0 || stored.offset > 0) return false;
  const url = await direct.signRead(stored, {
    contentType: head.contentType,
    contentDisposition: contentDisposition(head.fileName, head.disposition),
  });
  if (url === undefined) return false;
  const resumedId = range && range.start > 0 ? await findResumed(context, delivery) : undefined;
  if (resumedId === undefined) await completeDownload(context, await claimWithTicket(context, delivery));
  reply.code(302).headers({ location: url, 'cache-control': 'no-store' }).send();
  return true;
}

/** Only the server can evaluate conditions on its own ETag, and only the bucket those on the bucket's. */
function canBucketAnswer(headers: IncomingHttpHeaders, { etag, formerTag = etag }: BytesHead): boolean {
  const tags = [headers['if-match'], headers['if-none-match'], headers['if-range']];
  const named = tags.filter((tag) => tag !== undefined).map(String);
  const isOurs = (tag: string) => tag.includes(etag) || tag.includes(formerTag);
  if (named.length > 0) return named.every((tag) => tag.includes('"') && !isOurs(tag));
  return headers['if-modified-since'] === undefined && headers['if-unmodified-since'] === undefined;
}

type RecordedRequest = {
  downloadId: string;
  start: number;
  firstFileEnd: number;
  isLimited: boolean;
};

/** Progress shows the sweep that the download is running. It also keeps the place after a kill -9. */
class ProgressRecorder {
  readonly #context: Pick<Context, 'db' | 'clock' | 'log'>;
  readonly #request: RecordedRequest;
  #recordedAt: number;
  #isReturnable = true;

  constructor(context: Pick<Context, 'db' | 'clock' | 'log'>, request: RecordedRequest) {
    this.#context = context;
    this.#request = request;
    this.#recordedAt = context.clock.now();
  }

  /** A block counts as delivered from the moment its write begins. */
  describe({ sentBytes, begunBytes }: SendProgress): DownloadProgress {
    const { start, firstFileEnd } = this.#request;
    const furthest = start + begunBytes;
    return {
      reachedBytes: start + sentBytes,
      isReturnable: furthest <= RETURNABLE_BYTES && furthest < firstFileEnd,
    };
  }

  /**
   * Doesn't block. Writes at most once a minute, which is far shorter than the time to resume; with a download limit,
   * also once when the download starts to keep its place.
   */
  update(sent: SendProgress): void {
    const { clock, log } = this.#context;
    const now = clock.now();
    const progress = this.describe(sent);
    const keepsPlace = this.#isReturnable && !progress.isReturnable && this.#request.isLimited;
    // The difference is absolute because the clock may have been set back.
    if (!keepsPlace && Math.abs(now - this.#recordedAt) < MINUTE_MS) return;
    this.#recordedAt = now;
    this.#isReturnable = progress.isReturnable;
    recordProgress(this.#context, this.#request.downloadId, progress).catch((error: unknown) =>
      log.warn({ err: error }, 'Could not record the progress of a download.'),
    );
  }
}

type RequestEnd = DownloadProgress & {
  reachedEnd: boolean;
};

/** Call `end` exactly once. */
type ActiveRequest = RunningRequest & { end(result: RequestEnd): Promise<void> };

/**
 * Registers a request of a download. The download is complete when its last byte has been sent and none of its
 * requests is running, in any process.
 */
async function startRequest(
  context: Pick<Context, 'db' | 'clock' | 'config' | 'secret' | 'log' | 'leases'>,
  running: RunningDownloads,
  { downloadId, start }: { downloadId: string; start: number },
): Promise<ActiveRequest> {
  const { leases } = context;
  const key = `download ${downloadId}`;
  const lease = await leases?.acquireSlot(key, randomId(), {});
  const request = running.begin(downloadId, start);
  if (!leases) {
    return Object.assign(request, {
      async end(result: RequestEnd) {
        if (running.end(downloadId, request, result)) await completeDownload(context, downloadId);
        else await recordProgress(context, downloadId, result);
      },
    });
  }
  return Object.assign(request, {
    async end(result: RequestEnd) {
      running.end(downloadId, request, result);
      // Record and release before checking the others: of two requests that end at the same time, one then sees both
      // done.
      await recordProgress(context, downloadId, result);
      await lease?.release();
      if ((await leases.listBusy([key])).length > 0) return;
      if (await isDelivered(context.db, downloadId)) await completeDownload(context, downloadId);
    },
  });
}

type RunningRequest = { readonly start: number; sentBytes: number };

type RunningDownload = { requests: Set<RunningRequest>; endedBytes: number; reachedEnd: boolean };

/** A browser may fetch one download in several parallel ranges. */
export class RunningDownloads {
  readonly #running = new Map<string, RunningDownload>();

  begin(downloadId: string, start: number): RunningRequest {
    const running = this.#running.get(downloadId) ?? {
      requests: new Set(),
      endedBytes: 0,
      reachedEnd: false,
    };
    const request = { start, sentBytes: 0 };
    running.requests.add(request);
    this.#running.set(downloadId, running);
    return request;
  }

  /** Returns true if no other request is running and any of them sent the last byte. */
  end(downloadId: string, request: RunningRequest, { reachedEnd }: { reachedEnd: boolean }): boolean {
    const running = this.#running.get(downloadId);
    if (!running?.requests.delete(request)) return false;
    running.endedBytes += request.sentBytes;
    running.reachedEnd ||= reachedEnd;
    if (running.requests.size > 0) return false;
    this.#running.delete(downloadId);
    return running.reachedEnd;
  }

  /** Undefined if it is not running in this process. Parallel ranges say nothing about what lies before them. */
  findSentBytes(downloadId: string): number | undefined {
    const running = this.#running.get(downloadId);
    if (!running) return undefined;
    const [first, ...others] = running.requests;
    if (first && others.length === 0) return Math.max(running.endedBytes, first.start) + first.sentBytes;
    return [first!, ...others].reduce((sum, { sentBytes }) => sum + sentBytes, running.endedBytes);
  }
}
