import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry, type RegistryContentType } from 'prom-client';
import type { Metrics } from './metrics.ts';

type Question = { metricsQuestion: number };
type Answer = { metricsAnswer: number; text?: string };

const ANSWER_WITHIN_MS = 6_000;

/** For the primary process of WORKERS. */
export function aggregateWorkerMetrics(): void {
  const all = new AggregatorRegistry();
  cluster.on('message', (worker: Worker, message: Partial<Question>) => {
    if (typeof message?.metricsQuestion === 'number') void answer(all, worker, message.metricsQuestion);
  });
}

async function answer(
  all: AggregatorRegistry<RegistryContentType>,
  worker: Worker,
  metricsAnswer: number,
): Promise<void> {
  const text = await all.clusterMetrics().catch(() => undefined);
  if (worker.isConnected()) worker.send({ metricsAnswer, text } satisfies Answer, () => undefined);
}

let questions = 0;
let isListening = false;

export function reportToPrimary(metrics: Metrics): void {
  if (!cluster.isWorker || isListening) return;
  isListening = true;
  metrics.addProcessMetrics();
  AggregatorRegistry.setRegistries([metrics.registry] as never);
  new AggregatorRegistry();
}

/** The Prometheus text of all workers. Throws if a worker doesn't answer. */
export function writeMetrics(registry: Registry): Promise<string> {
  return cluster.isWorker ? requestFromPrimary() : registry.metrics();
}

function requestFromPrimary(): Promise<string> {
  questions += 1;
  const number = questions;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const listen = (message: Partial<Answer>) => {
    if (message?.metricsAnswer !== number) return;
    if (message.text === undefined) reject(new Error('A worker did not report its metrics.'));
    else resolve(message.text);
  };
  const timer = setTimeout(() => reject(new Error('The primary process did not respond.')), ANSWER_WITHIN_MS);
  process.on('message', listen);
  process.send!({ metricsQuestion: number } satisfies Question);
  return promise.finally(() => {
    clearTimeout(timer);
    process.off('message', listen);
  });
}
