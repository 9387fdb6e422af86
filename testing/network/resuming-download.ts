import assert from 'node:assert/strict';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import type { Client } from '../calls/client.ts';

/** A download that resumes like a browser: with Range, If-Range and the ticket cookie. */
export class ResumingDownload {
  readonly #client: Client;
  readonly #path: string;
  readonly #pieces: Buffer[] = [];
  #etag: string | undefined;
  #request: ClientRequest | undefined;
  receivedBytes = 0;
  sizeBytes = Number.NaN;

  constructor(client: Client, path: string) {
    this.#client = client;
    this.#path = path;
  }

  get hasBegun(): boolean {
    return this.#etag !== undefined;
  }

  get isWhole(): boolean {
    return this.receivedBytes === this.sizeBytes;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  /**
   * Requests the missing bytes. Resolves when all have arrived or the connection was cut. Throws if the response is not
   * the requested range. Calls `onProgress` after each piece.
   */
  receive(onProgress: () => void = () => {}): Promise<void> {
    const cookie = this.#client.jar.headerFor(this.#path);
    const headers = {
      ...(cookie && { cookie }),
      ...(this.#etag && { range: `bytes=${this.receivedBytes}-`, 'if-range': this.#etag }),
    };
    return new Promise((resolve, reject) => {
      this.#request = get(this.#client.url + this.#path, { headers, agent: false }, (response) => {
        try {
          this.#check(response);
        } catch (error) {
          this.stop();
          return reject(error);
        }
        response.on('data', (piece: Buffer) => {
          this.#pieces.push(piece);
          this.receivedBytes += piece.length;
          onProgress();
        });
        response.once('close', resolve).on('error', () => {});
      }).once('error', () => resolve());
    });
  }

  stop(): void {
    this.#request?.destroy();
  }

  #check({ statusCode, headers }: IncomingMessage): void {
    this.#client.jar.keep(headers['set-cookie'] ?? [], this.#path);
    if (this.#etag === undefined) {
      assert.equal(statusCode, 200);
      this.#etag = headers.etag!;
      this.sizeBytes = Number(headers['content-length']);
      return;
    }
    assert.equal(statusCode, 206);
    assert.equal(headers.etag, this.#etag);
    const end = this.sizeBytes - 1;
    assert.equal(headers['content-range'], `bytes ${this.receivedBytes}-${end}/${this.sizeBytes}`);
  }
}
