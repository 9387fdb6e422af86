import type { Abilities } from './ladder.ts';
import { canWorkerStage } from './worker/saver-worker.ts';

export function canPickFolder(): boolean {
  return 'showDirectoryPicker' in window;
}

export async function findAbilities(): Promise<Abilities> {
  return {
    canPickFolder: canPickFolder(),
    canPickFile: 'showSaveFilePicker' in window,
    stagingBytes: await findStagingBytes(),
    canStream: canStreamDownloads(),
  };
}

/** Only workers can tell whether files can be written in place. */
async function findStagingBytes(): Promise<number> {
  try {
    if (!(await canWorkerStage())) return 0;
    const { quota = 0, usage = 0 } = await navigator.storage.estimate();
    return quota - usage;
  } catch {
    return 0;
  }
}

/** Safari 18.2 and 18.3 on iOS break downloads of service workers (WebKit pull requests 41921 and 41998). */
const BROKEN = /(?:iPhone|iPad|iPod).*Version\/18\.[23]\b/;

function canStreamDownloads(): boolean {
  return 'serviceWorker' in navigator && !BROKEN.test(navigator.userAgent);
}
