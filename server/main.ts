import cluster from 'node:cluster';
import { createApp } from './app.ts';
import { type Config, ConfigError, findConfigWarnings, readConfig } from './config.ts';
import type { AppContext } from './context.ts';
import { createContext, type WorkerRole } from './create-context.ts';
import { loadEnvFile, readSecretFiles } from './environment/env-file.ts';
import { ensureFirstAdmin } from './features/accounts/index.ts';
import { tuneGarbageCollection } from './features/uploads/index.ts';
import { findCopies, startKeepingAssets } from './platform/http/pages/earlier-assets.ts';
import { ASSETS } from './platform/http/pages/web-app.ts';
import { describeSandbox } from './platform/images/find-sandbox.ts';
import { lockDataDir } from './platform/lib/data-dir/data-dir-lock.ts';
import { makeFilesPrivate, PRIVATE_UMASK } from './platform/lib/data-dir/private-files.ts';
import { createLog, logStrayOutput } from './platform/lib/logging/log.ts';
import { createWorker } from './worker.ts';
import { readWorkerRole, runWorkers, type WorkerMessage } from './workers.ts';

/** How long running requests may take to end after SIGTERM. */
const GRACE_MS = 30_000;

process.umask(PRIVATE_UMASK);
// A worker that starts while the first process ends would print a stack trace instead of exiting.
cluster.worker?.on('error', () => process.exit(1));

try {
  // Workers inherit the variables of the first process, even if the file has changed since.
  const envFile = cluster.isPrimary ? loadEnvFile(process.env) : undefined;
  const config = readConfig(readSecretFiles(process.env), envFile);
  const worker = readWorkerRole(process.env);
  logStrayOutput(createLog(config.logLevel));
  if (!worker) await makeFilesPrivate(config.dataDir);
  // The primary process ended while this one was starting, and has logged why.
  cluster.worker?.on('error', () => process.exit(1));
  if (config.workers > 1 && !worker) await runWorkers(config);
  else await start(config, worker);
  if (!worker) for (const warning of findConfigWarnings(config)) createLog(config.logLevel).warn(warning);
} catch (error) {
  const sentence = error instanceof ConfigError ? error.message : explain(error);
  if (!cluster.isWorker) process.stderr.write(`${sentence}\n`);
  else await sendToPrimary({ refusal: sentence });
  process.exit(1);
}

async function start(config: Config, worker: WorkerRole | undefined): Promise<void> {
  tuneGarbageCollection();
  // The primary process has locked the folder for its workers.
  const releaseDataDir = worker ? () => {} : lockDataDir(config.dataDir);
  const context = await createContext(config, worker && { worker });
  await ensureFirstAdmin(context);
  const app = await createApp(context);
  const jobs = createWorker(context);
  await app.listen({ host: config.host, port: config.port });
  jobs.start();
  context.log.info({ address: config.publicUrl, listening: app.addresses() }, 'Sendwell is ready');
  if (worker) await sendToPrimary({ ready: true });
  if (!worker || worker.number === 1) {
    void logSandbox(context);
    startKeepingAssets({ assets: ASSETS, copies: findCopies(config.dataDir) }, context);
  }

  const stop = once(async (signal: string) => {
    context.log.info({ signal }, 'stopping');
    const cut = setTimeout(() => app.server.closeAllConnections(), GRACE_MS);
    await Promise.all([app.close(), jobs.stop()]);
    clearTimeout(cut);
    await context.close();
    releaseDataDir();
    process.exit(0);
  });
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  logUnhandledErrors(context);
}

/** Ahead of the first picture, so that the log says how strong the sandbox is. */
async function logSandbox({ images, log }: AppContext): Promise<void> {
  try {
    const search = await images.findSandbox();
    const { strength, sentence, reasons } = describeSandbox(search);
    const fields = { method: search.sandbox?.method, strength, ...(reasons && { reasons }) };
    const isIsolated = search.sandbox?.hasNamespaces === true;
    log[isIsolated ? 'info' : 'warn'](fields, `Sandbox for decoders: ${strength}. ${sentence}`);
  } catch (err) {
    if ((err as Error).name !== 'AbortError') log.warn({ err }, 'the search for a decoder sandbox failed');
  }
}

function sendToPrimary(message: WorkerMessage): Promise<void> {
  return new Promise((resolve) => process.send!(message, undefined, undefined, () => resolve()));
}

/** A bug in one request must not abort all other transfers. */
function logUnhandledErrors({ log }: AppContext): void {
  process.on('unhandledRejection', (err) => log.error({ err }, 'unhandled rejection'));
}

function once<Argument>(run: (argument: Argument) => Promise<void>): (argument: Argument) => void {
  let started = false;
  return (argument) => {
    if (!started) void run(argument);
    started = true;
  };
}

function explain(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
