import type { StoredBlob, TrashedBlob } from '../blob-store.ts';
import { isStorageKey } from '../disk/blob-files.ts';
import type { S3Objects } from './s3-objects.ts';

/** Sorts before every character of a key, so that marks are listed in the order of their blobs. */
const SEPARATOR = '!';

type Mark = { storageKey: string; trashedAt: number; sizeBytes: number };

/**
 * An empty object per trashed blob, `<key>!<trashed at>!<size>`, below its own prefix. The blob itself
 * doesn't move, so trashing and restoring are atomic and cost one small request (S3 copies at most 5 GiB at
 * once).
 */
export class S3Trash {
  readonly #objects: S3Objects;

  constructor(objects: S3Objects) {
    this.#objects = objects;
  }

  async put({ storageKey, sizeBytes }: StoredBlob, now: number): Promise<void> {
    if (await this.has(storageKey)) return;
    await this.#objects.putTrashName([storageKey, now, sizeBytes].join(SEPARATOR));
  }

  async has(storageKey: string): Promise<boolean> {
    for await (const _ of this.#objects.listTrashNames(storageKey + SEPARATOR)) return true;
    return false;
  }

  async *list(): AsyncGenerator<TrashedBlob> {
    for await (const mark of this.#listMarks()) yield mark;
  }

  async restore(storageKey: string): Promise<boolean> {
    let wasThere = false;
    for await (const name of this.#objects.listTrashNames(storageKey + SEPARATOR)) {
      await this.#objects.removeTrashName(name);
      wasThere = true;
    }
    return wasThere;
  }

  /**
   * Keeps one mark at a time, because S3 lists marks and blobs in the same order. A store that didn't would
   * list trashed blobs again, but lose none.
   */
  async *without<Blob extends StoredBlob>(blobs: AsyncIterable<Blob>): AsyncGenerator<Blob> {
    const marks = this.#listMarks();
    try {
      let mark = await marks.next();
      for await (const blob of blobs) {
        while (!mark.done && mark.value.storageKey < blob.storageKey) mark = await marks.next();
        if (mark.done || mark.value.storageKey !== blob.storageKey) yield blob;
      }
    } finally {
      await marks.return(undefined);
    }
  }

  async *#listMarks(): AsyncGenerator<Mark> {
    for await (const name of this.#objects.listTrashNames()) {
      const [storageKey = '', trashedAt, sizeBytes] = name.split(SEPARATOR);
      if (isStorageKey(storageKey))
        yield { storageKey, trashedAt: Number(trashedAt), sizeBytes: Number(sizeBytes) };
    }
  }
}
