import type { Context } from '../../server/context.ts';
import { writeBlob } from '../../server/platform/storage/write-blob.ts';
import { readStored } from '../uploads/upload-files.ts';

type Deps = Pick<Context, 'blobs'>;

async function readBlob({ blobs }: Deps, storageKey: string): Promise<Buffer> {
  for await (const blob of blobs.list())
    if (blob.storageKey === storageKey)
      return readStored({ blobs }, { storageKey, offset: 0, sizeBytes: blob.sizeBytes });
  throw new Error(`There is no blob ${storageKey}.`);
}

/** Replaces the bytes of a blob, as a broken disk or an operator might. */
export async function replaceBlob({ blobs }: Deps, storageKey: string, bytes: Buffer): Promise<void> {
  await blobs.remove(storageKey);
  await writeBlob(blobs, storageKey, bytes);
}

/** Flips one bit of a stored file. Returns a function that restores it. */
export async function flipBit(
  deps: Deps,
  { storageKey, offset }: { storageKey: string; offset: number },
): Promise<() => Promise<void>> {
  const bytes = await readBlob(deps, storageKey);
  const wrong = Buffer.from(bytes);
  wrong[offset]! ^= 1;
  await replaceBlob(deps, storageKey, wrong);
  return () => replaceBlob(deps, storageKey, bytes);
}
