import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import { encryptedSize } from '../../contracts/transfers/encryption.ts';
import { fileDownloadPath } from '../../contracts/values/addresses/links.ts';
import { DamagedSegmentError, UnknownFormatError } from '../../encryption/errors.ts';
import type { TransferKeys } from '../../encryption/keys.ts';
import type { ManifestFile } from '../../encryption/manifest.ts';
import { readSecretText } from '../../encryption/secret-text.ts';
import { openSegments } from '../../encryption/segments.ts';
import { ByteReader, downloadBytes } from './download.ts';
import type { ListedFile } from './plan.ts';
import { type Share, unlock, type Visit } from './share.ts';

type Secret = { entry: ManifestFile; listed: ListedFile | undefined; keys: TransferKeys };

/** Counts as a download. The text is only in memory. Throws ApiError or CommandError. */
export async function receiveSecretText(
  visit: Visit,
  { token, recipientToken }: Share,
  { entry, listed, keys }: Secret,
): Promise<string> {
  if (!listed) throw new CommandError(EXIT.failed, 'The server does not have this text.');
  const path = fileDownloadPath(token, listed.id, recipientToken);
  const link = { ...visit, unlock: () => unlock(visit, token, { accessKey: keys.accessKey }) };
  const download = { path, position: 0, etag: undefined };
  const reader = new ByteReader(downloadBytes(link, download, async () => {}));
  try {
    const sealed = await reader.read(encryptedSize(entry.size));
    const place = { fileId: entry.fileId, plainBytes: entry.size, firstSegment: 0 };
    const plain = await openSegments(keys.content, place, new Uint8Array(sealed));
    await reader.drain();
    return readSecretText(plain);
  } catch (error) {
    if (error instanceof DamagedSegmentError || error instanceof UnknownFormatError)
      throw new CommandError(EXIT.failed, 'The text is damaged: it is not what the sender encrypted.');
    throw error;
  } finally {
    await reader.close();
  }
}

/** For a terminal, which obeys control characters. */
export function hideControls(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, '\ufffd');
}
