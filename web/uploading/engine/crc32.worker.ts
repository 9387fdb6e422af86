/// <reference lib="webworker" />
import { crc32 } from './crc32.ts';

export type ReadRequest = { ticket: number; slice: Blob };
export type ReadAnswer = { ticket: number; bytes: Blob; crc: number } | { ticket: number; failure: string };

/**
 * Reads a slice and computes its CRC-32 off the main thread. Returns a Blob, because Chromium blocks the main thread
 * for 250 ms to send 5 MB from an ArrayBuffer, and not at all from a Blob.
 */
self.onmessage = async ({ data: { ticket, slice } }: MessageEvent<ReadRequest>) => {
  try {
    const bytes = await slice.arrayBuffer();
    const answer: ReadAnswer = { ticket, bytes: new Blob([bytes]), crc: crc32(new Uint8Array(bytes)) };
    self.postMessage(answer);
  } catch (error) {
    const answer: ReadAnswer = { ticket, failure: error instanceof Error ? error.message : String(error) };
    self.postMessage(answer);
  }
};
