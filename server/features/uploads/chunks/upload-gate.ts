import { setTimeout as sleep } from 'node:timers/promises';
import type { Scope } from '../core/uploader.ts';

/** Somebody who is sending a chunk. */
export type Sender = {
  /** Bytes so far, of anything that only grows while the sender is alive. */
  receivedBytes(): number;
  /** Breaks the sender off; what was written of the chunk is not noted. */
  abort(): void;
};

type Writer = Sender & { ended: Promise<void> };

type Room = {
  /** One writer per chunk. */
  writers: Map<number, Writer>;
  /** Those who go from chunk to chunk, also while they are between two. */
  passing: Set<Writer>;
  /** Holds on the upload; while there are any, no writer enters. */
  holds: number;
  released: PromiseWithResolvers<void>;
};

/** Keeps new chunks of some uploads out until it is released. */
export type Hold = {
  /** Keys of uploads that had writers inside when it was taken. */
  busy: string[];
  /** Breaks the writers inside off and waits until nothing of theirs is written any more. */
  stopWriters(): Promise<void>;
  release(): void;
};

/** A sender without a byte for so long loses its chunk to the one who waits behind it. */
const STALLED_MS = 2_000;
const LOOK_EVERY_MS = 500;

/**
 * Holds writers of chunks apart from each other, and from those who complete or discard the upload, within
 * this process. Keys name an upload and who claims to own it, so that strangers cannot stand in the way.
 */
class UploadGate {
  readonly #rooms = new Map<string, Room>();

  /** Runs `write` as the only writer of that chunk; it must look at the upload's state itself. */
  async enter<T>(key: string, index: number, sender: Sender, write: () => Promise<T>): Promise<T> {
    let room = this.#openRoom(key);
    // Nothing may be awaited between the last look and taking the place.
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
      this.#forgetIfEmpty(key, room);
      end();
    }
  }

  /** Runs `write`, which enters one chunk after another, so that its sender is seen between two of them as well. */
  async pass<T>(key: string, sender: Sender, write: () => Promise<T>): Promise<T> {
    const room = this.#openRoom(key);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const passing = { ...sender, ended };
    room.passing.add(passing);
    try {
      return await write();
    } finally {
      room.passing.delete(passing);
      this.#forgetIfEmpty(key, room);
      end();
    }
  }

  /** Breaks off those inside who are silent; resolves when each has ended or shown that it is alive. */
  async breakStalled(key: string): Promise<void> {
    const room = this.#rooms.get(key);
    if (room) await Promise.all([...room.writers.values(), ...room.passing].map(endOrShowLife));
  }

  isBusy(key: string): boolean {
    return (this.#rooms.get(key)?.writers.size ?? 0) > 0;
  }

  hold(keys: string[]): Hold {
    const rooms = keys.map((key) => ({ key, room: this.#openRoom(key) }));
    for (const { room } of rooms) {
      if (room.holds === 0) room.released = Promise.withResolvers();
      room.holds += 1;
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
          room.holds -= 1;
          if (room.holds > 0) continue;
          this.#forgetIfEmpty(key, room);
          room.released.resolve();
        }
      },
    };
  }

  #openRoom(key: string): Room {
    let room = this.#rooms.get(key);
    if (!room) {
      room = { writers: new Map(), passing: new Set(), holds: 0, released: Promise.withResolvers() };
      this.#rooms.set(key, room);
    }
    return room;
  }

  #forgetIfEmpty(key: string, room: Room): void {
    if (room.holds === 0 && room.writers.size === 0 && room.passing.size === 0) this.#rooms.delete(key);
  }
}

/** The one of this process. */
export const uploadGate = new UploadGate();

export function gateKey({ userId, visitorKey, id }: Scope & { id: string }): string {
  return `${id} ${userId} ${visitorKey ?? ''}`;
}

/** What a newcomer has to wait for: those who hold the upload, then whoever is writing this chunk. */
function findObstacle({ holds, released, writers }: Room, index: number): (() => Promise<void>) | undefined {
  if (holds > 0) return () => released.promise;
  const writer = writers.get(index);
  return writer && (() => endOrStall(writer));
}

/** Waits for a writer; breaks it off when no byte arrives from it any more. */
async function endOrStall(writer: Writer): Promise<void> {
  const ended = new AbortController();
  void isSilent(writer, ended.signal).then((silent) => silent && writer.abort());
  await writer.ended;
  ended.abort();
}

async function endOrShowLife(writer: Writer): Promise<void> {
  const seenBytes = writer.receivedBytes();
  let hasEnded = false;
  const ended = writer.ended.then(() => {
    hasEnded = true;
  });
  for (let silentMs = 0; silentMs < STALLED_MS; silentMs += LOOK_EVERY_MS) {
    await Promise.race([ended, sleep(LOOK_EVERY_MS)]);
    if (hasEnded || writer.receivedBytes() !== seenBytes) return;
  }
  writer.abort();
  await ended;
}

/** True once no byte has arrived from a sender for two seconds, false when it ended before. */
export function isSilent(sender: Sender, ended: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let silentMs = 0;
  let seenBytes = sender.receivedBytes();
  const timer = setInterval(() => {
    const bytes = sender.receivedBytes();
    silentMs = bytes === seenBytes ? silentMs + LOOK_EVERY_MS : 0;
    seenBytes = bytes;
    if (silentMs >= STALLED_MS) settle(true);
  }, LOOK_EVERY_MS);
  const settle = (isSilent: boolean) => {
    clearInterval(timer);
    resolve(isSilent);
  };
  if (ended.aborted) settle(false);
  ended.addEventListener('abort', () => settle(false), { once: true });
  return promise;
}
