import { MIB } from '../../../../contracts/values/sizes.ts';
import type { Bytes } from '../../../../encryption/bytes.ts';
import { SaveError } from '../failures.ts';
import type { Sink } from './sink.ts';
import type { FromSaver, FromServiceWorker } from './stream-messages.ts';

const BATCH_BYTES = 2 * MIB;
/** Sent before the browser asks for them. */
const BATCHES_AHEAD = 1;

export type StreamSink = Sink & {
  /** Resolves when the browser may request the download. */
  ready: Promise<void>;
};

/**
 * Feeds a download of the browser through the service worker, in batches. A pull means that the browser has taken all
 * earlier batches; the one after the last batch therefore proves that it has taken everything. `signal` ends waiting.
 */
export function openStreamSink(port: MessagePort, sizeBytes: number, signal: AbortSignal): StreamSink {
  const ready = Promise.withResolvers<void>();
  let pulls = 0;
  let batches = 0;
  let sent = 0;
  let pieces: Bytes[] = [];
  let collected = 0;
  let failure: SaveError | undefined;
  let wake = Promise.withResolvers<void>();
  port.onmessage = ({ data }: MessageEvent<FromServiceWorker>) => {
    if (data.kind === 'ready') ready.resolve();
    if (data.kind === 'pull') pulls += 1;
    if (data.kind === 'canceled') failure = new SaveError({ kind: 'stopped-by-browser' });
    wake.resolve();
    wake = Promise.withResolvers();
  };
  signal.addEventListener('abort', () => wake.resolve());
  const post = (message: FromSaver, transfer: Transferable[] = []) => port.postMessage(message, transfer);
  const waitForPulls = async (count: number) => {
    while (pulls < count) {
      signal.throwIfAborted();
      if (failure) throw failure;
      await wake.promise;
    }
  };
  const flush = async () => {
    await waitForPulls(batches + 1 - BATCHES_AHEAD);
    post(
      { kind: 'pieces', pieces },
      pieces.map(({ buffer }) => buffer),
    );
    batches += 1;
    sent += collected;
    pieces = [];
    collected = 0;
  };
  return {
    ready: ready.promise,
    write: async (bytes: Bytes) => {
      if (bytes.length === 0) return;
      pieces.push(bytes);
      collected += bytes.length;
      if (collected >= BATCH_BYTES) await flush();
    },
    close: async () => {
      if (collected > 0) await flush();
      await waitForPulls(batches + 1);
      if (sent !== sizeBytes) throw new Error(`${sent} bytes instead of ${sizeBytes}`);
      post({ kind: 'end' });
      port.close();
    },
    abort: async () => {
      post({ kind: 'abort' });
      port.close();
    },
  };
}
