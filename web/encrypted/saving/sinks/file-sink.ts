import { MIB } from '../../../../contracts/values/sizes.ts';
import { type Bytes, freeBytes } from '../../../../encryption/bytes.ts';
import { type Sink, writing } from './sink.ts';

/** A write takes a round trip to another process of the browser. */
const BATCH_BYTES = 8 * MIB;
/** While one batch is being written, the other is filled. */
const spare: Bytes[] = [];

/** A file that the user chose. The browser replaces it when it is closed, so an aborted one stays as it was. */
export async function openFileSink(handle: FileSystemFileHandle): Promise<Sink> {
  const target = await writing(() => handle.createWritable());
  let batch = spare.pop() ?? new Uint8Array(BATCH_BYTES);
  let filled = 0;
  let written = Promise.resolve();
  const flush = async () => {
    await written;
    const full = batch;
    written = writing(() => target.write(full.subarray(0, filled))).finally(() => spare.push(full));
    // The next flush, or the end, reports a failure.
    written.catch(() => undefined);
    batch = spare.pop() ?? new Uint8Array(BATCH_BYTES);
    filled = 0;
  };
  return {
    write: async (bytes) => {
      for (let taken = 0; taken < bytes.length; ) {
        const part = bytes.subarray(taken, taken + BATCH_BYTES - filled);
        batch.set(part, filled);
        filled += part.length;
        taken += part.length;
        if (filled === BATCH_BYTES) await flush();
      }
      freeBytes(bytes);
    },
    close: async () => {
      if (filled > 0) await flush();
      await written;
      spare.push(batch);
      await writing(() => target.close());
    },
    abort: async () => {
      await target.abort().catch(() => undefined);
      await removeIfEmpty(handle);
    },
  };
}

/** Choosing or creating a file leaves an empty one. */
async function removeIfEmpty(handle: FileSystemFileHandle & { remove?(): Promise<void> }): Promise<void> {
  const file = await handle.getFile().catch(() => undefined);
  if (file?.size === 0) await handle.remove?.().catch(() => undefined);
}
