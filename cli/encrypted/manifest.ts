import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import { addressOf } from '../../contracts/endpoint.ts';
import { getManifest } from '../../contracts/transfers/downloads/downloads.ts';
import { encryptedSize, MANIFEST_MAX_BYTES } from '../../contracts/transfers/encryption.ts';
import type { TransferFile } from '../../contracts/transfers/transfers.ts';
import type { SegmentKey } from '../../encryption/keys.ts';
import { type Manifest, openManifest } from '../../encryption/manifest.ts';
import { readBytes } from '../http/connection.ts';
import { toOneLine } from '../progress/words.ts';
import type { ListedFile } from '../receive/plan.ts';
import type { Visit } from '../receive/share.ts';
import { toReadableError } from './link-keys.ts';

const REVISION_HEADER = 'sendwell-manifest-revision';

/** The transfer must be unlocked. Throws ApiError, or CommandError if the manifest is damaged. */
export async function fetchManifest(
  { api, retries, signal }: Visit,
  token: string,
  key: SegmentKey,
): Promise<Manifest> {
  const { sealed, revision } = await retries.run(async () => {
    const path = addressOf(getManifest.path, { token });
    const response = await api.send({ method: getManifest.method, path, signal });
    return {
      revision: Number(response.headers[REVISION_HEADER]),
      sealed: await readBytes(response, MANIFEST_MAX_BYTES),
    };
  }, signal);
  try {
    return await openManifest(key, new Uint8Array(sealed), revision);
  } catch (error) {
    throw toReadableError(error);
  }
}

type Joined = {
  /** In the order of the server, with their real names and sizes. */
  files: ListedFile[];
  /** Whether the server has no other files. */
  isComplete: boolean;
  /** Paths of files that the sender lists and the server does not have. */
  missing: string[];
};

/** Leaves out files of the server that the sender does not list. Throws CommandError if a size differs. */
export function joinFiles(files: readonly TransferFile[], manifest: Manifest): Joined {
  const entries = new Map(manifest.files.map((entry) => [entry.fileId, entry]));
  const joined = files.flatMap(({ id, position, originalName, size: sealedSize }) => {
    const entry = entries.get(originalName);
    if (!entry) return [];
    entries.delete(entry.fileId);
    const { path, size, sha256, isExecutable = false } = entry;
    if (sealedSize !== encryptedSize(size))
      throw new CommandError(EXIT.failed, `${toOneLine(path)} is not as long as its sender says.`);
    const name = path.slice(path.lastIndexOf('/') + 1);
    const { fileId, crc32, modifiedAt } = entry;
    const times = { modifiedAt, isExecutable };
    const sealed = { fileId, crc32 };
    return [{ id, position, originalName: name, relativePath: path, size, sha256, ...times, sealed }];
  });
  return {
    files: joined,
    isComplete: joined.length === files.length,
    missing: [...entries.values()].map(({ path }) => path),
  };
}
