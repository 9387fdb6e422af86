import assert from 'node:assert/strict';
import { get, request } from 'node:http';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../../client/api-error.ts';
import { CHUNK_BYTES, planChunks } from '../../../contracts/plans/limits.ts';
import { publishTransfer } from '../../../contracts/transfers/arrival.ts';
import { viewDownload } from '../../../contracts/transfers/downloads/downloads.ts';
import {
  abortUpload,
  abortUploads,
  completeUploads,
  initUploads,
  listChunks,
  listUploads,
} from '../../../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath } from '../../../contracts/values/addresses/links.ts';
import type { Client } from '../../../testing/calls/client.ts';
import { SeededRandom } from '../../../testing/lib/seeded-random.ts';
import { type ServerProcess, startServerProcess } from '../../../testing/processes/server-process.ts';
import { chunkOf } from '../../../testing/uploads/arriving-transfers.ts';
import { describeFile, makeBytes } from '../../../testing/uploads/upload-files.ts';

const AT_ONCE = 4;

type World = { server: ServerProcess; sender: Client };

/**
 * Each story sends a file in random order while a recipient downloads it. Both lose connections, the server is killed,
 * and some senders replace the file half-way. What a recipient gets under one file id must be one version of the file.
 */
export function declareArrivalFaults({ stories, kills }: { stories: number; kills: number }): void {
  test(`recipients of ${stories} arriving files get exactly one version`, {
    timeout: 3_600_000,
  }, async (t) => {
    const seed = Number(process.env.FAULTS_SEED ?? Date.now() % 1_000_000);
    t.diagnostic(`FAULTS_SEED=${seed}`);
    const server = await startServerProcess(t, { RATE_LIMIT: 'off' });
    const world: World = { server, sender: await server.signIn() };
    const waiting = Array.from({ length: stories }, (_, index) => index).values();
    const killEvery = Math.max(1, Math.floor(stories / kills));
    let restarting: Promise<void> = Promise.resolve();
    const runNext = async () => {
      for (const index of waiting) {
        const story = new Story(world, new SeededRandom(seed + index), `${seed + index}`);
        const told = story.run();
        if (index % killEvery === 0) {
          restarting = restarting.then(() => server.restart());
          await restarting;
        }
        await told;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, runNext));
  });
}

/** Survives restarts of the server. Throws its refusals. */
async function persist<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      const isTemporary = !(error instanceof ApiError) || error.status >= 500;
      if (!isTemporary || error instanceof assert.AssertionError || tries > 400) throw error;
      await sleep(50);
    }
  }
}

class Story {
  readonly #world: World;
  readonly #random: SeededRandom;
  readonly #name: string;
  /** By upload id. */
  readonly #versions = new Map<string, Buffer>();
  #transferId = '';
  #token = '';
  #current = '';
  #isSent = false;

  constructor(world: World, random: SeededRandom, name: string) {
    this.#world = world;
    this.#random = random;
    this.#name = name;
  }

  async run(): Promise<void> {
    await this.#announce();
    const { token } = await persist(() =>
      this.#world.sender.call(publishTransfer, {
        params: { id: this.#transferId },
        body: { expectedFiles: 1 },
      }),
    );
    this.#token = token;
    await Promise.all([this.#send(), this.#receive()]);
  }

  async #announce(): Promise<void> {
    const { between } = { between: (low: number, high: number) => this.#random.between(low, high) };
    // Some are small, so that they are in a pack.
    const sizeBytes =
      between(0, 3) === 0 ? between(1, 300_000) : between(1, 2) * CHUNK_BYTES + between(1, 200_000);
    const bytes = makeBytes(sizeBytes, `${this.#name} ${this.#versions.size}`);
    const { transferId, uploads } = await persist(() =>
      this.#world.sender.call(initUploads, {
        body: {
          files: [describeFile('film.mp4', bytes)],
          ...(this.#transferId && { transferId: this.#transferId }),
        },
      }),
    );
    this.#transferId = transferId;
    this.#current = uploads[0]!.uploadId;
    this.#versions.set(this.#current, bytes);
    await this.#withdrawUnanswered();
  }

  /** A kill may have come between an announcement and its answer, and nobody will send the files of that one. */
  async #withdrawUnanswered(): Promise<void> {
    const { sender } = this.#world;
    const open = await persist(() => sender.call(listUploads));
    const uploadIds = open
      .filter(({ uploadId, transferId }) => transferId === this.#transferId && !this.#versions.has(uploadId))
      .map(({ uploadId }) => uploadId);
    if (uploadIds.length > 0) await persist(() => sender.call(abortUploads, { body: { uploadIds } }));
  }

  async #send(): Promise<void> {
    let replacements = this.#random.between(0, 2) === 0 ? 1 : 0;
    for (;;) {
      const replacesAt = replacements > 0 ? this.#random.between(0, this.#order().length) : -1;
      const isWhole = await this.#sendVersion(replacesAt);
      if (isWhole) break;
      replacements -= 1;
      const withdrawn = this.#current;
      // The new version first: a transfer without files would be removed.
      await this.#announce();
      await persist(() =>
        this.#world.sender.call(abortUpload, { params: { uploadId: withdrawn } }).catch((error) => {
          if (!(error instanceof ApiError && error.status === 404)) throw error;
        }),
      );
    }
    await persist(() =>
      this.#world.sender.call(completeUploads, {
        body: { transferId: this.#transferId, uploadIds: [this.#current] },
      }),
    );
    this.#isSent = true;
  }

  #order(): number[] {
    const { totalChunks } = planChunks(this.#versions.get(this.#current)!.length);
    const left = Array.from({ length: totalChunks }, (_, index) => index);
    const order: number[] = [];
    while (left.length > 0) order.push(...left.splice(this.#random.between(0, left.length - 1), 1));
    return order;
  }

  /** False if the file was found to be changed. */
  async #sendVersion(replacesAt: number): Promise<boolean> {
    const uploadId = this.#current;
    const bytes = this.#versions.get(uploadId)!;
    const other = makeBytes(bytes.length, `${this.#name} changed`);
    const order = this.#order();
    for (const [position, index] of order.entries()) {
      if (position === replacesAt) {
        const stored = order[0]!;
        if (position > 0) assert.equal(await this.#put(uploadId, stored, chunkOf(other, stored)), 409);
        return false;
      }
      // A cut leaves other bytes behind, which nobody must read.
      if (this.#random.between(0, 2) === 0) await this.#put(uploadId, index, chunkOf(other, index), 0.6);
      assert.equal(await this.#put(uploadId, index, chunkOf(bytes, index)), 200);
      if (this.#random.between(0, 3) === 0)
        assert.equal(await this.#put(uploadId, index, chunkOf(bytes, index)), 200);
    }
    const { chunks } = await persist(() => this.#world.sender.call(listChunks, { params: { uploadId } }));
    assert.equal(chunks.length, order.length, 'acknowledged chunks survive');
    return replacesAt !== order.length;
  }

  /** Sends a chunk until it is answered; with `share`, cuts the connection after that part of it. */
  async #put(uploadId: string, index: number, body: Uint8Array, share?: number): Promise<number> {
    for (let tries = 0; ; tries += 1) {
      const status = await this.#putOnce(`/api/upload/chunk/${uploadId}/${index}`, body, share);
      if (share !== undefined || (status !== undefined && status < 500)) return status ?? 0;
      assert.ok(tries < 400, 'the server is gone');
      await sleep(50);
    }
  }

  #putOnce(path: string, body: Uint8Array, share: number | undefined): Promise<number | undefined> {
    const { sender } = this.#world;
    const headers = {
      cookie: sender.jar.headerFor(path)!,
      'content-type': 'application/octet-stream',
      'content-length': body.length,
    };
    return new Promise((resolve) => {
      const sending = request(sender.url + path, { method: 'POST', headers, agent: false }, (response) => {
        response.resume().once('close', () => resolve(response.statusCode));
      }).once('error', () => resolve(undefined));
      if (share === undefined) return void sending.end(body);
      sending.write(body.subarray(0, Math.floor(body.length * share)), () => {
        sending.destroy();
        resolve(undefined);
      });
    });
  }

  async #receive(): Promise<void> {
    let got = { id: '', etag: '', pieces: [] as Buffer[], bytes: 0, size: Number.NaN };
    for (let tries = 0; ; tries += 1) {
      assert.ok(tries < 4_000, 'the download does not end');
      const view = await persist(() =>
        this.#world.server.anonymous().call(viewDownload, { params: { token: this.#token } }),
      );
      // While a version is being replaced, both are there.
      const id = view.files!.at(-1)!.id;
      if (got.id !== id) got = { id, etag: '', pieces: [], bytes: 0, size: Number.NaN };
      await this.#get(got);
      const version = this.#versions.get(id);
      if (version) {
        const received = Buffer.concat(got.pieces);
        assert.ok(received.equals(version.subarray(0, received.length)), `${this.#name}: another version`);
      }
      if (got.bytes === got.size && id === this.#current && this.#isSent) break;
      await sleep(5);
    }
    assert.ok(Buffer.concat(got.pieces).equals(this.#versions.get(got.id)!));
  }

  #get(got: { id: string; etag: string; pieces: Buffer[]; bytes: number; size: number }): Promise<void> {
    if (got.bytes === got.size) return Promise.resolve();
    const path = fileDownloadPath(this.#token, got.id);
    const headers = got.bytes > 0 ? { range: `bytes=${got.bytes}-`, 'if-range': got.etag } : {};
    const cutAfter = this.#random.between(0, 1) === 0 ? this.#random.between(1, 2 * CHUNK_BYTES) : Infinity;
    return new Promise((resolve, reject) => {
      let received = 0;
      const getting = get(this.#world.server.url + path, { headers, agent: false }, (response) => {
        const { statusCode = 0 } = response;
        if (statusCode >= 400) return void response.resume().once('close', resolve);
        if (got.bytes > 0 && statusCode !== 206) return reject(new Error(`not resumed: ${statusCode}`));
        if (got.bytes === 0) {
          got.etag = response.headers.etag!;
          got.size = Number(response.headers['content-length']);
        }
        response.on('data', (piece: Buffer) => {
          got.pieces.push(piece);
          got.bytes += piece.length;
          received += piece.length;
          if (received >= cutAfter) getting.destroy();
        });
        response.once('close', resolve).on('error', () => {});
      }).once('error', () => resolve());
    });
  }
}
