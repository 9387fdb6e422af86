import { link, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { randomId } from '../../lib/tokens.ts';
import { unlinkIfThere } from '../disk/blob-files.ts';
import type { S3Objects } from '../s3/s3-objects.ts';

/** A file in DATA_DIR/blobs, or an object below S3_PREFIX. The dot keeps it apart from storage keys. */
export const MARKER_NAME = 'installation.json';

/** The id of a marker that cannot be parsed. Equals no real id. */
export const UNREADABLE = 'unreadable';

/** How long concurrent writers have to finish if the store cannot create exclusively. */
const SETTLE_MS = 2_000;

const Marker = z.object({ installationId: z.string().min(16) });

/** The installation's id in the storage. Errors other than "not found" are thrown unchanged. */
export interface InstallationMarker {
  /** undefined without a marker; `UNREADABLE` if it is damaged. */
  read(): Promise<string | undefined>;
  /**
   * Writes the marker unless there is one, durably and atomically. Of several concurrent callers at most one succeeds;
   * read the marker again to learn which.
   */
  create(id: string): Promise<void>;
  replace(id: string): Promise<void>;
}

export function diskMarker(root: string): InstallationMarker {
  const path = join(root, MARKER_NAME);
  const read = async () => {
    try {
      return parse(await readFile(path, 'utf8'));
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
      throw error;
    }
  };
  const withDraft = async (id: string, publish: (draft: string) => Promise<void>) => {
    const draft = join(root, `.${MARKER_NAME}-${randomId()}`);
    try {
      await writeSynced(draft, format(id));
      await publish(draft);
      await syncFolder(root);
    } finally {
      await unlinkIfThere(draft);
    }
  };
  return {
    read,
    create: (id) =>
      withDraft(id, async (draft) => {
        try {
          await link(draft, path);
        } catch (error) {
          const { code } = error as NodeJS.ErrnoException;
          if (code === 'EEXIST') return;
          // Some network and FUSE file systems have no hard links.
          if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP'].includes(code ?? '')) throw error;
          if ((await read()) === undefined) await rename(draft, path);
        }
      }),
    replace: (id) => withDraft(id, (draft) => rename(draft, path)),
  };
}

/** Throws AppError `unavailable` if the store doesn't respond. */
export function bucketMarker(objects: S3Objects): InstallationMarker {
  const read = async () => {
    const text = await objects.getText(MARKER_NAME);
    return text === undefined ? undefined : parse(text);
  };
  const createIfAbsent = (id: string) => objects.putTextIfAbsent(MARKER_NAME, format(id));
  return {
    read,
    async create(id) {
      const outcome = await createIfAbsent(id);
      if (outcome === 'exists') return;
      // A store that honors the condition refuses a second write. Some ignore it, others reject the header.
      if (outcome === 'created' && (await createIfAbsent(id)) === 'exists') return;
      if (outcome === 'unsupported' && (await read()) === undefined)
        await objects.putText(MARKER_NAME, format(id));
      // Let processes that found no marker at the same time finish writing; then all of them read the last one.
      await sleep(SETTLE_MS);
    },
    replace: (id) => objects.putText(MARKER_NAME, format(id)),
  };
}

function format(installationId: string): string {
  const note = 'Names the Sendwell installation that these files belong to. Do not delete or copy it.';
  return `${JSON.stringify({ installationId, note }, null, 2)}\n`;
}

function parse(text: string): string {
  try {
    return Marker.parse(JSON.parse(text)).installationId;
  } catch {
    return UNREADABLE;
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
