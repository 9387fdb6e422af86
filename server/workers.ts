import cluster, { type Worker } from 'node:cluster';
import { SECOND_MS } from '../contracts/values/durations.ts';
import { type Config, ConfigError } from './config.ts';
import { prepareForWorkers, type WorkerRole } from './create-context.ts';
import { lockDataDir } from './platform/lib/data-dir/data-dir-lock.ts';
import { createLog, type Log } from './platform/lib/logging/log.ts';
import { randomId } from './platform/lib/tokens.ts';
import { aggregateWorkerMetrics } from './platform/metrics/all-workers.ts';

const WORKER_VARIABLE = 'SENDWELL_WORKER';

/** `refusal` is a sentence saying why the worker cannot start. */
export type WorkerMessage = { ready: true } | { refusal: string };

/** Running requests get 30 seconds. */
const STOP_WITHIN_MS = 35 * SECOND_MS;
const FIRST_PAUSE_MS = 100;
/** Too many lives in a row that are shorter than this stop the server. */
const SHORT_LIFE_MS = 10 * SECOND_MS;
const MAX_SHORT_LIVES = 6;

type Slot = { role: WorkerRole; worker: Worker | undefined; shortLives: number; lastRefusal: string };

/**
 * Runs the primary process, which serves no requests: it migrates the tables, starts the workers
 * (`node:cluster`), and restarts those that exit. Throws like starting a server; exits with 0 after SIGTERM,
 * and with 1 if a worker keeps crashing.
 */
export async function runWorkers(config: Config): Promise<void> {
  const releaseDataDir = lockDataDir(config.dataDir);
  await prepareForWorkers(config);
  aggregateWorkerMetrics();
  const crew = new Crew(config.workers, createLog(config.logLevel));
  const stop = async (signal: string) => {
    await crew.stop(signal);
    releaseDataDir();
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  await crew.start();
}

/** Undefined for a single server and for the primary process. */
export function readWorkerRole(environment: Record<string, string | undefined>): WorkerRole | undefined {
  const text = environment[WORKER_VARIABLE];
  return cluster.isWorker && text !== undefined ? (JSON.parse(text) as WorkerRole) : undefined;
}

class Crew {
  readonly #log: Log;
  readonly #slots: Slot[];
  #isStopping = false;
  #isServing = false;

  constructor(size: number, log: Log) {
    this.#log = log;
    const run = randomId();
    this.#slots = Array.from({ length: size }, (_, index) => ({
      role: { number: index + 1, holder: `${run}.${index + 1}` },
      worker: undefined,
      shortLives: 0,
      lastRefusal: '',
    }));
  }

  /** Resolves when all workers serve. Throws ConfigError if one cannot start. */
  async start(): Promise<void> {
    try {
      await Promise.all(this.#slots.map((slot) => this.#launch(slot)));
    } catch (error) {
      // A worker that is still starting would print a stack trace once this process is gone.
      this.#isStopping = true;
      for (const { worker } of this.#slots) worker?.process.kill('SIGKILL');
      throw error;
    }
    if (this.#isStopping) return;
    this.#isServing = true;
    this.#log.info({ workers: this.#slots.length }, 'Sendwell is ready');
  }

  async stop(signal: string): Promise<void> {
    this.#isStopping = true;
    this.#log.info({ signal }, 'stopping');
    await Promise.all(this.#slots.map(({ worker }) => worker && endWorker(worker)));
  }

  /** Resolves when the worker serves; rejects if it exits first. */
  #launch(slot: Slot): Promise<void> {
    const worker = cluster.fork({ [WORKER_VARIABLE]: JSON.stringify(slot.role) });
    let servesSince = Number.POSITIVE_INFINITY;
    slot.worker = worker;
    slot.lastRefusal = '';
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    worker.on('message', (message: WorkerMessage) => {
      if ('refusal' in message) slot.lastRefusal = message.refusal;
      else if ('ready' in message) {
        servesSince = performance.now();
        resolve();
      }
    });
    worker.once('exit', (code, signal) => {
      slot.worker = undefined;
      const reason = slot.lastRefusal || `it ended with ${signal ?? code}`;
      // A configuration mistake affects all workers; after any other exit, a restart may succeed.
      const isMistake = !this.#isServing && slot.lastRefusal !== '';
      if (isMistake && !this.#isStopping) return reject(new ConfigError(reason));
      resolve();
      if (this.#isStopping) return;
      slot.shortLives = performance.now() - servesSince < SHORT_LIFE_MS ? slot.shortLives + 1 : 0;
      void this.#replace(slot, reason);
    });
    return promise;
  }

  async #replace(slot: Slot, reason: string): Promise<void> {
    const { role, shortLives } = slot;
    this.#log.error({ worker: role.number, reason }, 'A worker has exited and is being restarted.');
    if (shortLives >= MAX_SHORT_LIVES) return this.#shutDown(reason);
    await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** shortLives));
    if (!this.#isStopping) await this.#launch(slot);
  }

  async #shutDown(reason: string): Promise<void> {
    process.stderr.write(
      `A worker has ended ${MAX_SHORT_LIVES} times right after its start, so Sendwell stops: ${reason}\n`,
    );
    await this.stop('crash loop');
    process.exit(1);
  }
}

/** SIGTERM lets running requests end. */
async function endWorker(worker: Worker): Promise<void> {
  const { process: child } = worker;
  const exited = new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });
  child.kill('SIGTERM');
  const cut = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
  await exited;
  clearTimeout(cut);
}
