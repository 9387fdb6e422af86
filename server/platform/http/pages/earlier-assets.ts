import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { DAY_MS, MINUTE_MS } from '../../../../contracts/values/durations.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/logging/log.ts';

/** How long pages stay usable after an update. */
const KEPT_MS = 7 * DAY_MS;
/** A server that starts has more urgent things to do, and is not updated within a minute. */
const DELAY_MS = MINUTE_MS;
const REPEAT_MS = DAY_MS;
/** Operators may keep other files in DATA_DIR. */
const OURS = /-[\w-]{8}\.\w+(\.(br|gz))?(\.part)?$/;

type Folders = {
  /** Of the built pages. */
  assets: string;
  /** Of copies that outlive an update. */
  copies: string;
};

export const findCopies = (dataDir: string): string => join(dataDir, 'earlier-assets');

/**
 * Keeps copies of the scripts and styles as long as the process runs, so that pages that are open during an update of the
 * server can still load the parts that they need later. Only warns if there is no room.
 */
export function startKeepingAssets(folders: Folders, { clock, log }: { clock: Clock; log: Log }): void {
  // In development the pages are not built.
  if (!existsSync(folders.assets)) return;
  const keep = () =>
    keepAssets(folders, clock.now()).catch((err: unknown) =>
      log.warn(
        { err },
        'the scripts of this version could not be kept for pages that are open at the next update',
      ),
    );
  setTimeout(() => {
    void keep();
    setInterval(keep, REPEAT_MS).unref();
  }, DELAY_MS).unref();
}

/**
 * Copies the assets of the running version, and removes copies of others after a week. The modification time of a copy is
 * when it last belonged to the running version.
 */
export async function keepAssets({ assets, copies }: Folders, now: number): Promise<void> {
  await mkdir(copies, { recursive: true });
  const current = new Set(await readdir(assets));
  const kept = new Set(await readdir(copies));
  for (const name of current) {
    const copy = join(copies, name);
    if (!kept.has(name)) {
      // A copy that was cut off must not be sent to anybody.
      await copyFile(join(assets, name), `${copy}.part`);
      await rename(`${copy}.part`, copy);
    }
    await utimes(copy, now / 1_000, now / 1_000);
  }
  for (const name of await readdir(copies)) {
    if (current.has(name) || !OURS.test(name)) continue;
    const copy = join(copies, name);
    if ((await stat(copy)).mtimeMs < now - KEPT_MS) await rm(copy, { force: true });
  }
}
