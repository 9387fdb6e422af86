import saverCode from 'virtual:saver';
import type { FromSaverToPage, ToSaver } from './messages.ts';

let saverUrl: string | undefined;

/** Its code is in the page's script, so the script's hash covers it. */
export function createSaverWorker(): Worker {
  saverUrl ??= URL.createObjectURL(new Blob([saverCode], { type: 'text/javascript' }));
  return new Worker(saverUrl);
}

export function canWorkerStage(): Promise<boolean> {
  const worker = createSaverWorker();
  const answered = Promise.withResolvers<boolean>();
  worker.onmessage = ({ data }: MessageEvent<FromSaverToPage>) =>
    answered.resolve(data.kind === 'probed' && data.canStage);
  worker.onerror = () => answered.resolve(false);
  worker.postMessage({ kind: 'probe' } satisfies ToSaver);
  return answered.promise.finally(() => worker.terminate());
}
