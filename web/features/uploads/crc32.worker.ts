/// <reference lib="webworker" />
import { crc32 } from './crc32.ts';

export type ReadRequest = { ticket: number; slice: Blob };
export type ReadAnswer =
  | { ticket: number; bytes: ArrayBuffer; crc: number }
  | { ticket: number; failure: string };

/** Reads a slice and its CRC-32 away from the page's thread; the bytes are handed over, not copied. */
self.onmessage = async ({ data: { ticket, slice } }: MessageEvent<ReadRequest>) => {
  try {
    const bytes = await slice.arrayBuffer();
    const answer: ReadAnswer = { ticket, bytes, crc: crc32(new Uint8Array(bytes)) };
    self.postMessage(answer, { transfer: [bytes] });
  } catch (error) {
    const answer: ReadAnswer = { ticket, failure: error instanceof Error ? error.message : String(error) };
    self.postMessage(answer);
  }
};
