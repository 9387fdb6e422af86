import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MIB } from '../../../../contracts/values/sizes.ts';

/**
 * Between two minor collections. Often enough that V8 sees no need for a full one, rarely enough that few
 * buffers in use survive two collections (a survivor is freed only by a full one; at 8 MiB that happens).
 */
const COLLECT_EVERY_BYTES = 24 * MIB;

let collectGarbage: ((options: { type: 'minor' }) => void) | undefined;
let receivedBytes = 0;

/**
 * Tunes V8 for uploads; the server calls it once at start. A chunk arrives in buffers of 64 KiB that are garbage
 * at once. Their bytes lie outside of V8's heap, so the cheap minor collections hardly ever run, and full ones run
 * instead: 40 per GiB. A minor collection now and then halves the processor time of uploads (measured: 4 to 6 s
 * per GiB without, 2 to 3 with). Buffers must be freed synchronously, because those that a background thread has
 * not freed yet still count. Incremental marking is off: V8 starts it for every 64 MiB of such bytes, although all
 * there is to mark is a heap of 30 MiB (measured: up to 2 s of user time per GiB with it, 0.6 without).
 *
 * The flags hold for the whole process, so importing this file must not set them: tests share processes.
 */
export function tuneGarbageCollection(): void {
  setFlagsFromString('--no-concurrent-array-buffer-sweeping');
  setFlagsFromString('--no-incremental-marking');
  setFlagsFromString('--expose-gc');
  collectGarbage = runInNewContext('gc') as typeof collectGarbage;
}

/** Counts bytes of chunks that were received and are no longer needed. */
export function countReceivedBytes(sizeBytes: number): void {
  receivedBytes += sizeBytes;
  if (receivedBytes < COLLECT_EVERY_BYTES) return;
  receivedBytes = 0;
  collectGarbage?.({ type: 'minor' });
}
