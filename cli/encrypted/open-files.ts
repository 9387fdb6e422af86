import { join } from 'node:path';
import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import { encryptedSize, SEGMENT_BYTES } from '../../contracts/transfers/encryption.ts';
import { DamagedSegmentError } from '../../encryption/errors.ts';
import type { SegmentKey } from '../../encryption/keys.ts';
import type { ManifestFile } from '../../encryption/manifest.ts';
import { openSegments } from '../../encryption/segments.ts';
import { toOneLine } from '../progress/words.ts';
import { StagedFile } from '../receive/staging/staged-file.ts';
import { openStream, sumsToCheck } from './open-stream.ts';
import type { SealedSource } from './sealed-sources.ts';

/** A file of the manifest whose ciphertext is on this computer. */
export type SealedPair = { source: SealedSource; entry: ManifestFile };

/** Finds each source's entry by its name, which is the file's id. Ignores sources with other names. */
export function pairByName(sources: readonly SealedSource[], entries: readonly ManifestFile[]): SealedPair[] {
  const byId = new Map(entries.map((entry) => [entry.fileId, entry]));
  return sources.flatMap((source) => {
    const entry = byId.get(source.name);
    // A folder may have a file twice.
    return entry && byId.delete(entry.fileId) ? [{ source, entry }] : [];
  });
}

/** For a file that was saved under another name: finds the entry that its first segment belongs to. */
export async function pairByContent(
  source: SealedSource,
  entries: readonly ManifestFile[],
  key: SegmentKey,
): Promise<SealedPair[]> {
  const candidates = entries.filter(({ size }) => encryptedSize(size) === source.size);
  if (candidates.length === 0) return [];
  const { reader, close } = await source.open();
  try {
    const sealed = await reader.read(Math.min(SEGMENT_BYTES, source.size));
    for (const entry of candidates) {
      const place = { fileId: entry.fileId, plainBytes: entry.size, firstSegment: 0 };
      const isRight = await openSegments(key, place, sealed).then(
        () => true,
        () => false,
      );
      if (isRight) return [{ source, entry }];
    }
    return [];
  } finally {
    await close();
  }
}

/** Writes the plaintext below `folder`. Throws CommandError if the ciphertext is damaged. */
export async function openFile(
  { source, entry }: SealedPair,
  {
    folder,
    name,
    key,
    onOpened,
  }: { folder: string; name: string; key: SegmentKey; onOpened(bytes: number): void },
): Promise<void> {
  if (source.size !== encryptedSize(entry.size)) throw toDamagedError(entry);
  const { reader, close } = await source.open();
  const staged = await StagedFile.open(join(folder, name), { sums: sumsToCheck(entry) });
  try {
    const place = { fileId: entry.fileId, plainBytes: entry.size, firstSegment: 0 };
    for await (const piece of openStream(key, place, reader)) {
      staged.write(piece);
      onOpened(piece.length);
    }
    const { crc32, sha256 } = staged.sums();
    const isRight = crc32 !== undefined ? crc32 === entry.crc32 : sha256 === (entry.sha256 ?? undefined);
    if (!isRight) throw toDamagedError(entry);
    if (entry.isExecutable) staged.makeExecutable();
    if (entry.modifiedAt !== null) staged.setModifiedAt(entry.modifiedAt);
  } catch (error) {
    throw error instanceof DamagedSegmentError ? toDamagedError(entry) : error;
  } finally {
    staged.close();
    await close();
  }
}

function toDamagedError({ path }: ManifestFile): CommandError {
  const name = toOneLine(path);
  const message = `${name} is damaged: it is not what the sender encrypted. Nothing was written.`;
  return new CommandError(EXIT.failed, message, { different: [name] });
}
