import type { Bytes } from '../../../../encryption/bytes.ts';
import { SaveError } from '../failures.ts';
import type { Sink } from './sink.ts';
import type { FromSaver, FromServiceWorker } from './stream-messages.ts';

export type StreamSink = Sink & {
  /** Resolves when the browser may request the download. */
  ready: Promise<void>;
};

/**
 * Feeds a download of the browser through the service worker. A pull means that the browser has all earlier bytes; the
 * one after the last byte therefore proves that it has the whole. `signal` ends waiting.
 */
export function openStreamSink(port: MessagePort, sizeBytes: number, signal: AbortSignal): StreamSink {
  const ready = Promise.withResolvers<void>();
  let pulls = 0;
  let sent = 0;
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
  const pulled = async () => {
    while (pulls === 0) {
      signal.throwIfAborted();
      if (failure) throw failure;
      await wake.promise;
    }
    pulls -= 1;
  };
  return {
    ready: ready.promise,
    write: async (bytes: Bytes) => {
      if (bytes.length === 0) return;
      await pulled();
      sent += bytes.length;
      const { buffer } = bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
      post({ kind: 'bytes', bytes: buffer }, [buffer]);
    },
    close: async () => {
      await pulled();
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
