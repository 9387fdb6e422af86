import type { Context } from '../../context.ts';
import { resolveRange } from '../../platform/http/range.ts';
import { sendBytes } from '../../platform/http/send-bytes.ts';
import { claimAndTell, type Delivery, findResumed } from './delivery.ts';
import { giveBackFailed } from './giving-back.ts';
import { Reach } from './reach.ts';
import { beginReading } from './reading.ts';
import { redirectToBucket } from './redirecting.ts';

/**
 * Sends a file or a zip and counts it, both by the same rule: a GET that is answered with bytes from the
 * first one on is a new download; one that begins later is free with a ticket and a new download without.
 * HEAD, 304, 412 and 416 never count. Throws AppError `transfer_used_up`, what `sendBytes` throws, and why the
 * resource could not be prepared.
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
  const downloadId = resumedId ?? (await claimAndTell(context, delivery));
  const isLimited = visit.share.maxDownloads !== null;
  const reach = new Reach(context, { downloadId, start: resolved.start, firstFileEnd, isLimited });
  try {
    const reading = await beginReading(context, running, downloadId);
    await sendBytes(request, reply, source, head, {
      resolved,
      onProgress: (progress) => reach.move(progress),
      onEnd: (sent) =>
        reading.end({
          ...reach.describe(sent),
          reachedEnd: sent.complete && sent.end === source.sizeBytes,
        }),
    });
  } catch (error) {
    reply.removeHeader('set-cookie');
    const { transferId } = downloaded;
    if (resumedId === undefined) await giveBackFailed(context, { id: downloadId, transferId });
    throw error;
  }
}
