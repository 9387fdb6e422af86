import { chunkLength } from '../../contracts/limits.ts';
import type { UploadItem } from './upload-item.ts';

/** One chunk to be sent. */
export type ChunkTask = { item: UploadItem; index: number; start: number; end: number };

/** Hands out the chunks still missing, file after file; what failed comes back first. */
export class ChunkQueue {
  readonly #returned: ChunkTask[] = [];
  readonly #items: UploadItem[];
  #position = 0;
  #index = 0;

  constructor(items: UploadItem[]) {
    this.#items = items;
  }

  next(): ChunkTask | undefined {
    for (let task = this.#returned.shift(); task; task = this.#returned.shift()) {
      if (isWanted(task.item, task.index)) return task;
    }
    while (this.#position < this.#items.length) {
      const item = this.#items[this.#position]!;
      while (this.#index < item.totalChunks && item.phase !== 'failed' && item.phase !== 'removed') {
        const index = this.#index++;
        if (isWanted(item, index)) return toTask(item, index);
      }
      this.#position += 1;
      this.#index = 0;
    }
    return undefined;
  }

  giveBack(task: ChunkTask): void {
    this.#returned.unshift(task);
  }
}

function isWanted(item: UploadItem, index: number): boolean {
  return item.phase !== 'failed' && item.phase !== 'removed' && !item.received.has(index);
}

function toTask(item: UploadItem, index: number): ChunkTask {
  const start = index * item.chunkSize;
  return { item, index, start, end: start + chunkLength(item.size, item.chunkSize, index) };
}
