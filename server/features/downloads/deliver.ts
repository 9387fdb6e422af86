import type { Context } from '../../context.ts';
import { resolveRange } from '../../platform/http/range.ts';
import { sendBytes } from '../../platform/http/send-bytes.ts';
import { claimAndTell, type Delivery, findResumed } from './delivery.ts';
import { giveBackDownload } from './giving-back.ts';
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

  await prepare?.();
  const resumedId = resolved.start > 0 ? await findResumed(context, delivery) : undefined;
  const downloadId = resumedId ?? (await claimAndTell(context, delivery));
  const reach = new Reach(context, downloadId);
  try {
    const reading = await beginReading(context, running, downloadId);
    await sendBytes(request, reply, source, head, {
      resolved,
      onProgress: (sentBytes) => reach.move(resolved.start + sentBytes),
      onEnd: ({ complete, start, end, sentBytes }) =>
        reading.end({
          reachedEnd: complete && end === source.sizeBytes,
          reachedBytes: start + sentBytes,
        }),
    });
  } catch (error) {
    reply.removeHeader('set-cookie');
    const { transferId } = downloaded;
    if (resumedId === undefined) await giveBackDownload(context, { id: downloadId, transferId });
    throw error;
  }
}
