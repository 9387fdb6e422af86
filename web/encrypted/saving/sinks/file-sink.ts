import { type Sink, writing } from './sink.ts';

/** A file that the user chose. The browser replaces it when it is closed, so an aborted one stays as it was. */
export async function openFileSink(handle: FileSystemFileHandle): Promise<Sink> {
  const target = await writing(() => handle.createWritable());
  return {
    write: (bytes) => writing(() => target.write(bytes)),
    close: () => writing(() => target.close()),
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
