import { freeBytes } from '../../../../encryption/bytes.ts';
import type { Sink } from './sink.ts';

export type MemorySink = Sink & { toBlob(): Blob };

/** For small outputs, where the browser offers nothing else. */
export function openMemorySink(): MemorySink {
  let parts: Blob[] = [];
  return {
    // A Blob each, because browsers may keep those on disk.
    write: async (bytes) => {
      parts.push(new Blob([bytes]));
      freeBytes(bytes);
    },
    close: async () => {},
    abort: async () => {
      parts = [];
    },
    toBlob: () => new Blob(parts, { type: 'application/octet-stream' }),
  };
}
