import { link, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { randomId } from '../../lib/tokens.ts';
import { unlinkIfThere } from '../disk/blob-files.ts';
import type { S3Objects } from '../s3/s3-objects.ts';

/** In DATA_DIR/blobs or below S3_PREFIX. The dot distinguishes it from storage keys. */
export const MARKER_NAME = 'installation.json';

/** The id of a marker that cannot be parsed; equals no real id. */
export const UNREADABLE = 'unreadable';

/** Time for concurrent writers to finish if the store has no exclusive create. */
const SETTLE_MS = 2_000;

const Marker = z.object({ installationId: z.string().min(16) });

/** Throws errors other than "not found". */
export interface InstallationMarker {
  read(): Promise<string | undefined>;
  /**
   * Durable and atomic. At most one of several concurrent callers succeeds; read the marker again to see
   * which.
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
      // Some stores ignore the condition, others reject the header.
      if (outcome === 'created' && (await createIfAbsent(id)) === 'exists') return;
      if (outcome === 'unsupported' && (await read()) === undefined)
        await objects.putText(MARKER_NAME, format(id));
      // Let concurrent writers finish; then all of them read the last marker.
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
