import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from '../../context.ts';
import { contentDisposition } from '../../platform/http/content-disposition.ts';
import { parseRange } from '../../platform/http/range.ts';
import { completeDownload } from './claims.ts';
import { claimAndTell, type Delivery, findResumed } from './delivery.ts';

/**
 * Sends a download of one file to the bucket, counted by the same rule as one that goes through us; false when it
 * has to. What the bucket sends is not seen here: the download counts as delivered once its address is given out,
 * and is never given back. A transfer that goes with its last download is therefore never sent there: nobody
 * would know when the last one ends. Throws AppError `transfer_used_up`.
 */
export async function redirectToBucket(context: Context, delivery: Delivery): Promise<boolean> {
  const { direct } = context.blobs;
  const { stored, head, visit, reply } = delivery;
  const { request, share } = visit;
  if (!direct?.isOpen || !stored || request.method !== 'GET') return false;
  if (share.autoDeleteAfterDownloads === 1 || !isForBucket(request.headers, head.etag)) return false;
  const range = parseRange(request.headers.range ?? '', stored.sizeBytes);
  if (range === 'unsatisfiable' || stored.sizeBytes === 0 || stored.offset > 0) return false;
  const url = await direct.signRead(stored, {
    contentType: head.contentType,
    contentDisposition: contentDisposition(head.fileName, head.disposition),
  });
  if (url === undefined) return false;
  const resumedId = range && range.start > 0 ? await findResumed(context, delivery) : undefined;
  if (resumedId === undefined) await completeDownload(context, await claimAndTell(context, delivery));
  reply.code(302).headers({ location: url, 'cache-control': 'no-store' }).send();
  return true;
}

/** Who asks about our own version of the file is answered here; about the bucket's, only the bucket knows. */
function isForBucket(headers: IncomingHttpHeaders, ourTag: string): boolean {
  const tags = [headers['if-match'], headers['if-none-match'], headers['if-range']];
  const named = tags.filter((tag) => tag !== undefined).map(String);
  if (named.length > 0) return named.every((tag) => tag.includes('"') && !tag.includes(ourTag));
  return headers['if-modified-since'] === undefined && headers['if-unmodified-since'] === undefined;
}
