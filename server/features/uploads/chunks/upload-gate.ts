import { setTimeout as sleep } from 'node:timers/promises';
import type { Scope } from '../core/uploader.ts';

export type Sender = {
  /** Any counter that grows only while the sender is alive. */
  receivedBytes(): number;
  /** The partly written chunk is not recorded. */
  abort(): void;
};

type Writer = Sender & { ended: Promise<void> };

type Room = {
  writers: Map<number, Writer>;
  /** Writers of consecutive chunks, also while between two chunks. */
  sequences: Set<Writer>;
  /** No writer enters while this is above zero. */
  locks: number;
  released: PromiseWithResolvers<void>;
};

export type UploadLock = {
  busy: string[];
  stopWriters(): Promise<void>;
  release(): void;
};

/** After this time without a byte, the next writer takes over the chunk. */
const STALLED_MS = 2_000;
const POLL_EVERY_MS = 500;

/**
 * Gives each chunk one writer within this process, and keeps writers out while the upload is completed or discarded.
 * Keys combine the upload with the claimed owner, so that strangers cannot block it.
 */
class UploadGate {
  readonly #rooms = new Map<string, Room>();

  /** Runs `write` as the chunk's only writer in this process. `write` must check the upload's state itself. */
  async enter<T>(key: string, index: number, sender: Sender, write: () => Promise<T>): Promise<T> {
    let room = this.#openRoom(key);
    // Nothing may be awaited between the last check and registering the writer.
    for (let obstacle = findObstacle(room, index); obstacle; obstacle = findObstacle(room, index)) {
      await obstacle();
      room = this.#openRoom(key);
    }
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    room.writers.set(index, { ...sender, ended });
    try {
      return await write();
    } finally {
      room.writers.delete(index);
      this.#removeIfEmpty(key, room);
      end();
    }
  }

  /** Registers the sender of consecutive chunks, so that it is known even between two chunks. */
  async runSequence<T>(key: string, sender: Sender, write: () => Promise<T>): Promise<T> {
    const room = this.#openRoom(key);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const sequence = { ...sender, ended };
    room.sequences.add(sequence);
    try {
      return await write();
    } finally {
      room.sequences.delete(sequence);
      this.#removeIfEmpty(key, room);
      end();
    }
  }

  /** Resolves when each stalled writer has ended or sent another byte. */
  async abortStalled(key: string): Promise<void> {
    const room = this.#rooms.get(key);
    if (room) await Promise.all([...room.writers.values(), ...room.sequences].map(abortUnlessActive));
  }

  isBusy(key: string): boolean {
    return (this.#rooms.get(key)?.writers.size ?? 0) > 0;
  }

  lock(keys: string[]): UploadLock {
    const rooms = keys.map((key) => ({ key, room: this.#openRoom(key) }));
    for (const { room } of rooms) {
      if (room.locks === 0) room.released = Promise.withResolvers();
      room.locks += 1;
    }
    return {
      busy: rooms.filter(({ room }) => room.writers.size > 0).map(({ key }) => key),
      stopWriters: async () => {
        const writers = rooms.flatMap(({ room }) => [...room.writers.values()]);
        for (const writer of writers) writer.abort();
        await Promise.all(writers.map(({ ended }) => ended));
      },
      release: () => {
        for (const { key, room } of rooms) {
          room.locks -= 1;
          if (room.locks > 0) continue;
          this.#removeIfEmpty(key, room);
          room.released.resolve();
        }
      },
    };
  }

  #openRoom(key: string): Room {
    let room = this.#rooms.get(key);
    if (!room) {
      room = { writers: new Map(), sequences: new Set(), locks: 0, released: Promise.withResolvers() };
      this.#rooms.set(key, room);
    }
    return room;
  }

  #removeIfEmpty(key: string, room: Room): void {
    if (room.locks === 0 && room.writers.size === 0 && room.sequences.size === 0) this.#rooms.delete(key);
  }
}

export const uploadGate = new UploadGate();

export function gateKey({ userId, visitorKey, id }: Scope & { id: string }): string {
  return `${id} ${userId} ${visitorKey ?? ''}`;
}

/** Returns undefined if nothing blocks a new writer; otherwise call the result and check again. */
function findObstacle({ locks, released, writers }: Room, index: number): (() => Promise<void>) | undefined {
  if (locks > 0) return () => released.promise;
  const writer = writers.get(index);
  return writer && (() => awaitOrAbort(writer));
}

async function awaitOrAbort(writer: Writer): Promise<void> {
  const ended = new AbortController();
  void isSilent(writer, ended.signal).then((silent) => silent && writer.abort());
  await writer.ended;
  ended.abort();
}

async function abortUnlessActive(writer: Writer): Promise<void> {
  const seenBytes = writer.receivedBytes();
  let hasEnded = false;
  const ended = writer.ended.then(() => {
    hasEnded = true;
  });
  for (let silentMs = 0; silentMs < STALLED_MS; silentMs += POLL_EVERY_MS) {
    await Promise.race([ended, sleep(POLL_EVERY_MS)]);
    if (hasEnded || writer.receivedBytes() !== seenBytes) return;
  }
  writer.abort();
  await ended;
}

export function isSilent(sender: Sender, ended: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let silentMs = 0;
  let seenBytes = sender.receivedBytes();
  const timer = setInterval(() => {
    const bytes = sender.receivedBytes();
    silentMs = bytes === seenBytes ? silentMs + POLL_EVERY_MS : 0;
    seenBytes = bytes;
    if (silentMs >= STALLED_MS) settle(true);
  }, POLL_EVERY_MS);
  const settle = (isSilent: boolean) => {
    clearInterval(timer);
    resolve(isSilent);
  };
  if (ended.aborted) settle(false);
  ended.addEventListener('abort', () => settle(false), { once: true });
  return promise;
}
