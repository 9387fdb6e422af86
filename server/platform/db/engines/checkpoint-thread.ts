/** The thread of `Checkpoints`. It ends when it is told to stop. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** A checkpoint syncs twice, so frequent ones would slow down commits. */
const PAUSE_MS = 1_000;

const { file } = workerData as { file: string };
const database = new DatabaseSync(file);
database.exec('pragma busy_timeout = 0; pragma synchronous = full; pragma cache_size = -256');
const version = database.prepare('pragma data_version');
let copied: unknown;

const timer = setInterval(checkpoint, PAUSE_MS);
parentPort!.once('message', () => {
  clearInterval(timer);
  database.close();
});

/** PASSIVE waits for nobody and makes nobody wait. */
function checkpoint(): void {
  try {
    const seen = version.get()!.data_version;
    if (seen === copied) return;
    const { busy, log, checkpointed } = database.prepare('pragma wal_checkpoint(passive)').get()!;
    // A reader may still need older pages.
    if (busy === 0 && log === checkpointed) copied = seen;
  } catch {
    // The file is busy or the disk is full: try again at the next turn.
  }
}
