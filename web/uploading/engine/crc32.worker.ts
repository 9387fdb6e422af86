/// <reference lib="webworker" />
import { type ReadChunk, readChunk, type Seal } from './read-chunk.ts';

export type ReadRequest = { ticket: number; slice: Blob; seal: Seal | undefined };
export type ReadAnswer = ({ ticket: number } & ReadChunk) | { ticket: number; failure: string };

self.onmessage = async ({ data: { ticket, slice, seal } }: MessageEvent<ReadRequest>) => {
  try {
    const answer: ReadAnswer = { ticket, ...(await readChunk(slice, seal)) };
    self.postMessage(answer);
  } catch (error) {
    const answer: ReadAnswer = { ticket, failure: error instanceof Error ? error.message : String(error) };
    self.postMessage(answer);
  }
};
