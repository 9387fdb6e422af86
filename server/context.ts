import type { Config } from './config.ts';
import type { Db } from './platform/db/open.ts';
import type { Geo } from './platform/geo/geo.ts';
import type { SecurityLog } from './platform/http/security/security-log.ts';
import type { Renderer } from './platform/images/renderer.ts';
import type { ClockGuard } from './platform/jobs/clock-guard.ts';
import type { Leases } from './platform/leases/leases.ts';
import type { Clock } from './platform/lib/clock.ts';
import type { Log } from './platform/lib/logging/log.ts';
import type { Mailer } from './platform/mail/mailer.ts';
import type { Metrics } from './platform/metrics/metrics.ts';
import type { PaymentProvider } from './platform/payments/provider.ts';
import type { Clamd } from './platform/scanning/clamd.ts';
import type { BlobStore } from './platform/storage/blob-store.ts';
import type { Ballast } from './platform/storage/disk/disk-space.ts';

export type Context = {
  config: Config;
  db: Db;
  blobs: BlobStore;
  mailer: Mailer;
  geo: Geo;
  payments: PaymentProvider;
  images: Renderer;
  clock: Clock;
  /** Decides whether jobs may delete by age. */
  clockGuard: ClockGuard;
  log: Log;
  security: SecurityLog;
  scanner: Clamd | undefined;
  /** Signs cookies and links, and keys the hashes of short codes. */
  secret: string;
  /** Also accepted, so that rotating the secret doesn't invalidate existing cookies and links. */
  previousSecret: string | undefined;
  metrics: Metrics;
  /** Undefined if neither the database nor files are in DATA_DIR. */
  ballast: Ballast | undefined;
  /** Undefined if there is only one process. */
  leases: Leases | undefined;
};

export type AppContext = Context & {
  close(): Promise<void>;
};

/** What operator commands use: the database and storage of a server that may be running. */
export type OperatorContext = Pick<
  AppContext,
  'config' | 'db' | 'blobs' | 'clock' | 'clockGuard' | 'log' | 'secret' | 'close'
>;
