import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MIB } from '../../../contracts/sizes.ts';

/**
 * A chunk arrives in buffers of 64 KiB that are garbage at once. Their bytes lie outside of V8's heap, so the
 * small collections that would free them cheaply hardly ever come, and full ones come instead: 40 per GiB.
 * A small one now and then halves the processor time of uploads (measured: 4 to 6 s per GiB, then 2 to 3).
 * Often enough that V8 sees no need for a full one, rarely enough that few buffers in use live through two
 * (those would be kept until a full one; at 8 MiB that happens). The buffers must be freed at once: freed
 * beside the main thread they count for too long. And no marking ahead of full collections: V8 begins it for
 * 64 MiB of such bytes, again and again, while all there is to mark is a heap of 30 MiB (measured: up to 2 s
 * of user time per GiB with it, 0.6 without).
 */
const COLLECT_EVERY_BYTES = 24 * MIB;

setFlagsFromString('--no-concurrent-array-buffer-sweeping');
setFlagsFromString('--no-incremental-marking');
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as (options: { type: 'minor' }) => void;

let receivedBytes = 0;

/** Tells that so many bytes of chunks have come in and are no longer needed. */
export function countReceivedBytes(sizeBytes: number): void {
  receivedBytes += sizeBytes;
  if (receivedBytes < COLLECT_EVERY_BYTES) return;
  receivedBytes = 0;
  collectGarbage({ type: 'minor' });
}
