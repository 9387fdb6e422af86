import type { SendOptions } from '../../client/chunk-sender.ts';
import { confirmChunks, signChunks } from '../../contracts/transfers/uploads.ts';
import { call } from '../api/call.ts';
import type { ReadChunk } from './chunk-reader.ts';
import { type ChunkAddress, sendBytes } from './send-chunk.ts';

/** After so many failures in a row this browser is taken not to reach the bucket. */
const MAX_FAILURES = 3;

/** Sends chunks straight to the bucket, for as long as that works from here. */
export class BucketSender {
  #failures = 0;

  /**
   * True when the bucket has the chunk, and the server knows; otherwise it is to go through the server. Throws what
   * the server's own answers mean, and the signal's reason.
   */
  async send(
    { uploadId, index, invitationToken }: ChunkAddress,
    { bytes, crc }: ReadChunk,
    options: SendOptions,
  ): Promise<boolean> {
    if (this.#failures >= MAX_FAILURES) return false;
    const { signal } = options;
    const to = { params: { uploadId }, query: { invitationToken }, signal };
    const { parts } = await call(signChunks, { ...to, body: { parts: [{ index, crc32: crc }] } });
    const [signed] = parts;
    if (!signed) return false;
    const { url, headers } = signed;
    // The bucket's refusals are nothing to show: the server takes the chunk, or says what is wrong.
    const isSent = await sendBytes({ method: 'PUT', url, headers, bytes }, options).then(
      () => true,
      () => false,
    );
    signal.throwIfAborted();
    const { chunks } = isSent
      ? await call(confirmChunks, { ...to, body: { indexes: [index] } })
      : { chunks: [] };
    this.#failures = chunks.length > 0 ? 0 : this.#failures + 1;
    return chunks.length > 0;
  }
}
