/// <reference lib="webworker" />
import { hashBlob } from './hash-blob.ts';

export type HashRequest = { ticket: number; blob: Blob };
export type HashAnswer =
  | { ticket: number; hashedBytes: number }
  | { ticket: number; sha256: string }
  | { ticket: number; failure: string };

self.onmessage = async ({ data: { ticket, blob } }: MessageEvent<HashRequest>) => {
  const answer = (message: HashAnswer) => self.postMessage(message);
  try {
    const sha256 = await hashBlob(blob, (hashedBytes) => answer({ ticket, hashedBytes }));
    answer({ ticket, sha256 });
  } catch (error) {
    answer({ ticket, failure: error instanceof Error ? error.message : String(error) });
  }
};
