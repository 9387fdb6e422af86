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
  /** Says whether jobs may delete what the clock calls too old. */
  clockGuard: ClockGuard;
  log: Log;
  /** Writes security events into the log. */
  security: SecurityLog;
  /** The virus scanner; undefined: none is configured. */
  scanner: Clamd | undefined;
  /** Signs cookies and links, keys the hashes of short codes. */
  secret: string;
  /** Accepted beside it, so that replacing it voids nothing that is under way. */
  previousSecret: string | undefined;
  /** What this process counts. */
  metrics: Metrics;
  /** Undefined where neither the database nor files are in DATA_DIR. */
  ballast: Ballast | undefined;
  /** What holds processes apart; undefined where this one is alone. */
  leases: Leases | undefined;
};

export type AppContext = Context & {
  close(): Promise<void>;
};

/** What the command line works with: the server's database and storage, beside a running server. */
export type OperatorContext = Pick<
  AppContext,
  'config' | 'db' | 'blobs' | 'clock' | 'clockGuard' | 'log' | 'secret' | 'close'
>;
