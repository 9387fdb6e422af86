import type { Config } from './config.ts';
import type { Db } from './platform/db/open.ts';
import type { Clock } from './platform/lib/clock.ts';
import type { Log } from './platform/lib/log.ts';
import type { Mailer } from './platform/mail/mailer.ts';
import type { BlobStore } from './platform/storage/blob-store.ts';

/** Everything a rule may need; each destructures exactly what it uses. */
export type Context = {
  config: Config;
  db: Db;
  blobs: BlobStore;
  /** Signs cookies and links, keys the hashes of short codes. */
  secret: string;
  /** Lets the worker look for due jobs at once; call it after the transaction that enqueued them. */
  wakeWorker(): void;
  mailer: Mailer;
  clock: Clock;
  log: Log;
};
