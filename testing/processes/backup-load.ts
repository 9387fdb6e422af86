import { deleteTransfer } from '../../contracts/transfers/transfers.ts';
import { initUpload } from '../../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath } from '../../contracts/values/addresses/links.ts';
import { KIB, MIB } from '../../contracts/values/sizes.ts';
import type { Client } from '../calls/client.ts';
import { type SentTransfer, sendTransfer } from '../uploads/send-transfer.ts';
import { describeFile, makeBytes, sendChunk } from '../uploads/upload-files.ts';

/** Number of transfers at the start that are never deleted. */
const KEPT = 2;

/**
 * Sends, deletes and downloads transfers until stopped. `sent` contains everything that was acknowledged; `deleted`
 * contains each deletion before it is requested.
 */
export class BackupLoad {
  readonly sent: SentTransfer[] = [];
  readonly deleted = new Set<string>();
  readonly #client: Client;
  #isStopped = false;
  #runs: Promise<unknown> = Promise.resolve();

  constructor(client: Client) {
    this.#client = client;
  }

  start(): void {
    // `stop` reports errors to its caller. Until then requests to a killed server may fail.
    this.#runs = Promise.allSettled([this.#upload(), this.#delete(), this.#download()]);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#runs;
  }

  /** Sends a transfer with a file of three chunks and three files that share a pack. */
  async send(seed: string): Promise<SentTransfer> {
    const sizes = [11 * MIB, 100, 50 * KIB, 300 * KIB];
    const files = sizes.map((size, index) => ({
      fileName: `${seed}-${index}.bin`,
      bytes: makeBytes(size, `${seed} ${index}`),
    }));
    const sent = await sendTransfer(this.#client, files);
    this.sent.push(sent);
    return sent;
  }

  async leaveOpen(): Promise<void> {
    const bytes = makeBytes(12 * MIB, 'open');
    const { uploadId } = await this.#client.call(initUpload, { body: describeFile('open.bin', bytes) });
    const body = new Uint8Array(bytes.subarray(0, 10 * MIB));
    await (await sendChunk(this.#client, { uploadId, index: 0, body })).body?.cancel();
  }

  async #upload(): Promise<void> {
    for (let round = 0; !this.#isStopped; round += 1) await this.send(`round ${round}`);
  }

  async #delete(): Promise<void> {
    while (!this.#isStopped) {
      const oldest = this.#living()[KEPT];
      if (oldest && this.#living().length > 4) {
        this.deleted.add(oldest.id);
        await this.#client.call(deleteTransfer, { params: { id: oldest.id } });
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async #download(): Promise<void> {
    while (!this.#isStopped) {
      const newest = this.#living().at(-1);
      if (newest)
        await (await this.#client.fetch(fileDownloadPath(newest.token, newest.fileIds[0]!))).arrayBuffer();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  #living(): SentTransfer[] {
    return this.sent.filter(({ id }) => !this.deleted.has(id));
  }
}
