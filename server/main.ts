import { createApp } from './app.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { type AppContext, createContext } from './context.ts';
import { ensureFirstAdmin } from './features/accounts/first-admin.ts';
import { lockDataDir } from './platform/db/data-dir-lock.ts';
import { createWorker } from './worker.ts';

/** How long running requests may take to end after SIGTERM. */
const GRACE_MS = 30_000;

try {
  await start(readConfig(process.env));
} catch (error) {
  process.stderr.write(error instanceof ConfigError ? `${error.message}\n` : `${explain(error)}\n`);
  process.exit(1);
}

async function start(config: Config): Promise<void> {
  const releaseDataDir = lockDataDir(config.dataDir);
  const context = await createContext(config);
  await ensureFirstAdmin(context);
  const app = await createApp(context);
  const worker = createWorker(context);
  await app.listen({ host: config.host, port: config.port });
  worker.start();
  context.log.info({ address: config.publicUrl, listening: app.addresses() }, 'Sendwell is ready');

  const stop = once(async (signal: string) => {
    context.log.info({ signal }, 'stopping');
    const cut = setTimeout(() => app.server.closeAllConnections(), GRACE_MS);
    await Promise.all([app.close(), worker.stop()]);
    clearTimeout(cut);
    await context.close();
    releaseDataDir();
    process.exit(0);
  });
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  stayAlive(context);
}

/** A slip in one request must not end the transfers of everybody else; it is logged with its stack. */
function stayAlive({ log }: AppContext): void {
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
