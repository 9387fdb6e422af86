import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { migrateToLatest } from './platform/db/migrate.ts';
import { type Db, openDatabase } from './platform/db/open.ts';
import { type Geo, openGeo } from './platform/geo/geo.ts';
import { openRenderer, type Renderer } from './platform/images/renderer.ts';
import { type Clock, systemClock } from './platform/lib/clock.ts';
import { createLog, type Log } from './platform/lib/log.ts';
import { readOrCreateSecret } from './platform/lib/secret.ts';
import { type Mailer, openLogMailer, openSmtpMailer } from './platform/mail/mailer.ts';
import { openPayments } from './platform/payments/open.ts';
import type { PaymentProvider } from './platform/payments/provider.ts';
import type { BlobStore } from './platform/storage/blob-store.ts';
import { openBlobStore } from './platform/storage/open.ts';

/** Everything a rule may need; each destructures exactly what it uses. */
export type Context = {
  config: Config;
  db: Db;
  blobs: BlobStore;
  mailer: Mailer;
  geo: Geo;
  payments: PaymentProvider;
  /** Makes pictures of files, apart from the server. */
  images: Renderer;
  clock: Clock;
  log: Log;
  /** Signs cookies and links, keys the hashes of short codes. */
  secret: string;
  /** Lets the worker look for due jobs at once; call it after the transaction that enqueued them. */
  wakeWorker(): void;
};

export type AppContext = Context & {
  /** What `wakeWorker` does, once there is a worker. */
  onWake(wake: () => void): void;
  close(): Promise<void>;
};

/** The only place where things are built. Tests put a clock of their own in. */
export async function createContext(config: Config, parts: { clock?: Clock } = {}): Promise<AppContext> {
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const log = createLog(config.logLevel);
  const secret = config.sessionSecret ?? (await readOrCreateSecret(config.dataDir));
  const geo = await openGeo({ cityFile: config.geoCityFile });
  const db = await openDatabase({ url: config.databaseUrl, file: join(config.dataDir, 'sendwell.db') });
  await migrateToLatest(db);
  const blobs = await openBlobStore(config, db);
  const mailer = config.smtpUrl
    ? openSmtpMailer(config.smtpUrl, { from: config.mailFrom, publicUrl: config.publicUrl })
    : openLogMailer(log);
  const clock = parts.clock ?? systemClock;
  const payments = await openPayments(config, { db, clock });
  const images = await openRenderer({ folder: join(config.dataDir, 'rendering') });
  let wake = () => {};
  return {
    config,
    db,
    blobs,
    mailer,
    geo,
    payments,
    images,
    log,
    secret,
    clock,
    wakeWorker: () => wake(),
    onWake: (run) => {
      wake = run;
    },
    close: async () => {
      mailer.close();
      await images.close();
      await blobs.close();
      await db.destroy();
    },
  };
}
