import type { Context } from '../../server/context.ts';
import { writeBlob } from '../../server/platform/storage/write-blob.ts';
import { readStored } from '../uploads/upload-files.ts';

type Deps = Pick<Context, 'blobs'>;

/** All bytes of a blob, wherever the test's server keeps them. */
async function readBlob({ blobs }: Deps, storageKey: string): Promise<Buffer> {
  for await (const blob of blobs.list())
    if (blob.storageKey === storageKey)
      return readStored({ blobs }, { storageKey, offset: 0, sizeBytes: blob.sizeBytes });
  throw new Error(`There is no blob ${storageKey}.`);
}

/** Puts other bytes in a blob's place, as a broken disk or an operator would. */
export async function replaceBlob({ blobs }: Deps, storageKey: string, bytes: Buffer): Promise<void> {
  await blobs.remove(storageKey);
  await writeBlob(blobs, storageKey, bytes);
}

/** Changes one bit of a stored file. Returns a function that puts it right again. */
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
